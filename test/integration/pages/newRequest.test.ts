/** The form of a new request as browsers without script send it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { preparePages } from './preparePages.ts';
import { adsOn, complete, type Fields, type Got, gif, KEY, RequestForm } from './requestForm.ts';

const server = preparePages({ limits: { ...DEFAULT_LIMITS, screenshots: 1_000 } });
let form: RequestForm;
beforeAll(async () => {
  form = await RequestForm.open(server);
});

async function setOf({ location }: Got) {
  const id = location?.split('/').at(-1) ?? '';
  const { db } = server.store;
  const shots = await db.selectFrom('screenshots').selectAll().where('set_id', '=', id).orderBy('seq').execute();
  const set = await db
    .selectFrom('screenshot_sets')
    .innerJoin('campaigns', 'campaigns.id', 'campaign_id')
    .select(['campaigns.name', 'instructions', 'campaign_id'])
    .where('screenshot_sets.id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...set, shots };
}

describe('creatives of a new request', () => {
  it('several files, addresses and a tag become ads that the service renders', async () => {
    const enqueued = server.enqueued.length;
    const first = await form.post([
      ['action', 'add'],
      ['media', 'https://cdn.example/a.png\r\n\r\n https://cdn.example/b.mp4 '],
      ['files', gif('one.gif')],
      ['files', gif('two.gif')],
    ]);
    expect([first.status, adsOn(first).length]).toEqual([200, 4]);
    expect(first.text).toContain('4 ads were added.');
    expect(first.text.match(/Rendering…/g)).toHaveLength(4);
    const kept = adsOn(first).map((id) => ['ad', id] as const);
    const tag = '<script src="https://ads.example/tag.js"></script>';
    const second = await form.post([
      ...kept,
      ['action', 'add'],
      ['media', tag],
      ['media_name', 'Skin'],
      ['media_size', '970 × 250'],
    ]);
    expect(adsOn(second).length).toBe(5);
    expect(server.enqueued.length - enqueued).toBe(5);
    const rows = await server.store.db.selectFrom('ads').selectAll().where('id', 'in', adsOn(second)).execute();
    expect(rows.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      'html_tag Skin',
      'upload one.gif',
      'upload two.gif',
      'url a.png',
      'url b.mp4',
    ]);
    expect(rows.find(({ kind }) => kind === 'html_tag')).toMatchObject({ content: tag, given_width: 970 });
  });

  it('a file of a wrong type and an empty one are named, and the other files are added', async () => {
    const got = await form.post([
      ['action', 'add'],
      ['files', new File(['%PDF-1.7 not an ad'], '<b>evil.pdf')],
      ['files', gif('good.gif')],
      ['files', new File([], 'empty.gif')],
    ]);
    expect([got.status, adsOn(got).length]).toEqual([422, 1]);
    expect(got.text).toContain('&lt;b&gt;evil.pdf: ');
    expect(got.text).toContain('empty.gif: The file must not be empty');
    expect(got.text).not.toContain('<b>evil');
  });

  it('a file that is too large is named, and what was typed is kept', async () => {
    const large = gif('large.gif', new Uint8Array(64 * 1024 * 1024));
    const got = await form.post([
      ['action', 'add'],
      ['sites', 'news.example'],
      ['files', large],
      ['files', gif('ok.gif')],
    ]);
    expect([got.status, adsOn(got).length]).toEqual([422, 1]);
    expect(got.text).toMatch(/large\.gif: The file must be/);
    expect(got.text).toContain('news.example</textarea>');
  });

  it('a faulty address adds nothing and stays in its field', async () => {
    const got = await form.post([
      ['action', 'add'],
      ['media', 'https://cdn.example/a.png\njavascript:alert(1)'],
    ]);
    expect([got.status, adsOn(got).length]).toEqual([422, 0]);
    expect(got.text).toContain('The address or tag must be an absolute address');
    expect(got.text).toContain('\njavascript:alert(1)</textarea>');
  });
});

describe('a form of a new request', () => {
  it('a complete form makes a set in its campaign, with each picture once, and moves its creative there', async () => {
    const ad = await form.newAd();
    const more: Fields = [
      ['markers', '0, 2.5; 2.500'],
      ['instructions', 'Check the logo'],
      ['full_page', 'yes'],
      ['show_head', 'yes'],
    ];
    const got = await form.post(complete(ad, more));
    expect([got.status, got.location]).toEqual([303, expect.stringMatching(/^\/o\/demo\/screenshot_sets\/[\w-]{36}$/)]);
    const { name, instructions, campaign_id, shots } = await setOf(got);
    expect([name, instructions, shots.length]).toEqual(['Autumn', 'Check the logo', 8]);
    expect(shots[0]).toMatchObject({ ad_id: ad, site_key: 'https://news.example/', device: 'desktop', marker_ms: 0 });
    const row = await server.store.db.selectFrom('ads').selectAll().where('id', '=', ad).executeTakeFirstOrThrow();
    expect(row.campaign_id).toBe(campaign_id);
    const activity = (await form.get(`${got.location}?tab=activity`)).replace(/<[^>]+>/g, '');
    expect(activity).toContain('Screenshot set requested pictures: 8first key');
  });

  it('the number of pictures is shown before, and is the number of screenshots of the set', async () => {
    const fields = complete(await form.newAd(), [['markers', '0 1 2']]);
    const checked = await form.post(fields.map(([name, value]) => [name, name === 'action' ? 'check' : value]));
    expect(checked.text).toContain('<strong>12 pictures</strong>');
    expect(checked.text).toContain('1 ad × 2 sites × 2 devices × 3 moments');
    expect((await setOf(await form.post(fields))).shots).toHaveLength(12);
  });

  it('one site can be tried first: its first ad on all devices, and the form stays', async () => {
    const [first, second] = [await form.newAd('first.gif'), await form.newAd('second.gif')];
    const fields: Fields = complete(first, [['ad', second]]).filter(([name]) => name !== 'action');
    const checked = await form.post([...fields, ['action', 'check']]);
    expect(checked.text.indexOf('name="campaign"')).toBeLessThan(checked.text.indexOf('name="files"'));
    expect(checked.text).toContain('Try one site first');
    const tried = await form.post([...fields, ['action', 'try']]);
    const rows = await server.store.db
      .selectFrom('screenshots')
      .select(['site_key', 'device'])
      .where('set_id', '=', tried.location?.split('/').at(-1) ?? '')
      .orderBy('seq')
      .execute();
    expect(rows).toEqual(['desktop', 'iphone'].map((device) => ({ site_key: 'https://news.example/', device })));
    const again = await form.get(`/o/demo/new?draft=${KEY}`);
    expect(adsOn({ text: again })).toEqual([first, second]);
    expect(again).toContain('value="Autumn"');
    const all = await form.post([...fields, ['action', 'request']]);
    expect([all.status, all.location === tried.location]).toEqual([303, false]);
  });

  it('a form that is sent twice makes one set, and a changed one makes another', async () => {
    const ad = await form.newAd();
    const [first, second] = await Promise.all([form.post(complete(ad)), form.post(complete(ad))]);
    expect(first.location).toBe(second.location);
    const changed = await form.post(complete(ad, [['instructions', 'Another']]));
    expect([changed.status, changed.location === first.location]).toEqual([303, false]);
  });

  it('a faulty form shows all faults by field, requests nothing, and keeps what was typed', async () => {
    const before = await form.count('screenshot_sets');
    const lines = ['https://good.example', 'ftp://files.example', '<script>alert(1)</script>', 'user:pw@x.example'];
    const got = await form.post([
      ['action', 'request'],
      ['sites', lines.join('\r\n')],
      ['markers', '1, soon, 45'],
      ['slot', '0'],
      ['device', 'fridge'],
      ['campaign', ' '],
      ['instructions', '"quoted" & <i>typed</i>'],
    ]);
    expect(got.status).toBe(422);
    for (const text of [
      'Add at least one ad.',
      'Line 2 (ftp://files.example) must be an absolute address',
      'Line 3 (&lt;script&gt;alert(1)&lt;/script&gt;)',
      'Line 4 (user:pw@x.example) must not contain a user name',
      '>The moment soon is not a number of seconds.',
      'The moment 45 is not between 0 and 30 seconds.',
      'A device must be one of: desktop',
      'The campaign must not be blank',
      'value="1, soon, 45"',
      '&quot;quoted&quot; &amp; &lt;i&gt;typed&lt;/i&gt;</textarea>',
    ])
      expect(got.text).toContain(text);
    expect(got.text).toContain('id="slot-fault"');
    expect(got.text).not.toContain('<script>alert');
    expect(await form.count('screenshot_sets')).toBe(before);
  });

  it('200 lines of sites make 200 screenshots, and more pictures than the limit are refused by number', async () => {
    const sites = Array.from({ length: 200 }, (_, i) => `site-${i}.example/path`).join('\r\n');
    const ad = await form.newAd();
    const one: Fields = [
      ['action', 'request'],
      ['ad', ad],
      ['campaign', 'Many'],
      ['device', 'ipad'],
      ['sites', sites],
    ];
    expect((await setOf(await form.post(one))).shots).toHaveLength(200);
    const six = await form.post([...one, ['markers', '1 2 3 4 5 6']]);
    expect(six.status).toBe(422);
    expect(six.text).toContain('This request would have 1,200 pictures. The maximum is 1,000');
  });

  it('a creative that could not be rendered stops the request and is named', async () => {
    const ad = await form.newAd('<i>broken.gif');
    const failed = { status: 'generic_error', reason: 'The zip is a <bomb>.' } as const;
    await server.store.db.updateTable('ads').set(failed).where('id', '=', ad).execute();
    const got = await form.post(complete(ad));
    expect(got.status).toBe(422);
    expect(got.text).toContain('“&lt;i&gt;broken.gif” could not be rendered');
    expect(got.text).toContain('The zip is a &lt;bomb&gt;.');
  });

  it('an ad of another campaign is copied once, and stays where it is', async () => {
    const ad = await form.newAd();
    await form.post(complete(ad));
    const inWinter = (more: Fields) =>
      complete(ad, more).map(([name, value]) => [name, name === 'campaign' ? 'Winter' : value] as const);
    const first = await setOf(await form.post(inWinter([])));
    const again = await setOf(await form.post(inWinter([['instructions', 'Again']])));
    const [copy] = new Set(first.shots.map(({ ad_id }) => ad_id));
    expect([first.name, copy === ad, again.shots[0]?.ad_id]).toEqual(['Winter', false, copy]);
    const rows = await server.store.db
      .selectFrom('ads')
      .selectAll()
      .where('id', 'in', [ad, copy ?? ''])
      .execute();
    expect(new Set(rows.map(({ name, upload_id }) => `${name} ${upload_id}`)).size).toBe(1);
    expect(await form.get(`/o/demo/new?ad=${ad}&campaign=Autumn`)).toContain('value="Autumn"');
  });

  it('the same bytes are the same ad, unless their names say other sizes', async () => {
    const add = async (...names: readonly string[]) =>
      adsOn(await form.post([['action', 'add'], ...names.map((name) => ['files', gif(name, 'same')] as const)]));
    const [first] = await add('same.gif', 'same (1).gif');
    const again = await form.post([
      ['action', 'add'],
      ['files', gif('again.gif', 'same')],
    ]);
    expect(adsOn(again)).toEqual([first]);
    expect(again.text).toContain('The ad of again.gif already existed and will be reused.');
    expect(await add('again_300x250.gif')).not.toEqual([first]);
    const { shots } = await setOf(await form.post(complete(first ?? '')));
    expect(shots[0]?.ad_id).toBe(first);
  });

  it('files and addresses that were not added yet are shown before anything is requested', async () => {
    const before = await form.count('screenshot_sets');
    const got = await form.post([
      ...complete(await form.newAd()),
      ['media', 'https://cdn.example/late.png'],
      ['files', gif('late.gif')],
    ]);
    expect([got.status, adsOn(got).length]).toEqual([200, 3]);
    expect(got.text).toContain('2 ads were added.</span> Check what was added');
    expect(await form.count('screenshot_sets')).toBe(before);
  });
});
