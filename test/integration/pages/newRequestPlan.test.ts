/** Media plans, slots and drafts on the page of a new request, without script. */
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seedPicture } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { adsOn, complete, type Fields, type Got, gif, KEY, RequestForm } from './requestForm.ts';
import { takePlacement } from './seedPlacement.ts';

const server = preparePages();
let form: RequestForm;
beforeAll(async () => {
  form = await RequestForm.open(server);
});
beforeEach(async () => {
  await server.store.db.deleteFrom('drafts').execute();
});

async function newAd(name: string, width: number, height: number): Promise<string> {
  const id = await form.newAd(name);
  const preview_token = await seedPicture(server.store.db, server.organizationId, `${width}x${height}`);
  await server.store.db.updateTable('ads').set({ width, height, preview_token }).where('id', '=', id).execute();
  return id;
}

const MINE = `/o/demo/new?draft=${KEY}`;

const act = (action: string, fields: Fields) =>
  form.post([...fields.filter(([name]) => name !== 'action'), ['action', action]]);

/** The hidden field that names the plan on a page. */
const planOn = ({ text }: Got): Fields[number] => ['plan_id', /name="plan_id" value="([^"]+)"/.exec(text)?.[1] ?? ''];

async function picturesOf({ location }: Got) {
  const rows = await server.store.db
    .selectFrom('screenshots')
    .innerJoin('ads', 'ads.id', 'ad_id')
    .select(['ads.name', 'site_key', 'device', 'options'])
    .where('set_id', '=', location?.split('/').at(-1) ?? '')
    .orderBy('seq')
    .execute();
  return rows.map(({ name, site_key, device }) => `${name} ${site_key} ${device}`);
}

/** The pictures whose page is a file. */
async function filesOf({ location }: Got) {
  const rows = await server.store.db
    .selectFrom('screenshots')
    .innerJoin('ads', 'ads.id', 'ad_id')
    .innerJoin('uploads', 'uploads.id', 'page_upload_id')
    .select(['ads.name', 'site_key', 'device', 'options', 'format'])
    .where('set_id', '=', location?.split('/').at(-1) ?? '')
    .execute();
  const place = (slot: unknown) => Object.values(Object(slot).area ?? {}).join();
  return rows
    .map((row) => `${row.name} ${row.site_key} ${row.device} ${row.format} ${place(row.options?.slot)}`.trim())
    .toSorted();
}

it('combinations that do not fit the device are counted and skipped, unless the person wants to try them', async () => {
  const billboard = await newAd('billboard.gif', 970, 250);
  const fields = complete(billboard);
  const checked = await act('check', fields);
  expect(checked.text).toContain('<strong>2 pictures</strong>');
  expect(checked.text).toContain('2 combinations do not fit the device: skipped');
  expect(await picturesOf(await act('request', fields))).toHaveLength(2);
  expect(await picturesOf(await act('request', [...fields, ['try_all', 'yes']]))).toHaveLength(4);
  const phones = await act(
    'request',
    complete(billboard).map(([name, value]) => [name, value === 'desktop' ? 'mobile' : value]),
  );
  expect([phones.status, phones.text.includes('No ad fits a device, so there would be no picture.')]).toEqual([
    422,
    true,
  ]);
});

describe('a media plan', () => {
  const PLAN = 'Ad\tSite\tSize\tDevice\tNote\nbox\tnews.example\t300x250\tdesktop\t-\nlost.gif\tno site\t\tfridge\t-\n';

  it('is shown with the faults of its cells, corrected in place, and requested as exact combinations', async () => {
    const ad = await newAd('box.gif', 300, 250);
    const fields: Fields = [
      ['key', crypto.randomUUID()],
      ['ad', ad],
      ['device', 'desktop'],
      ['campaign', 'Plan'],
    ];
    const read = await act('check', [...fields, ['plan_text', PLAN]]);
    for (const text of [
      '1 of 2 rows need correction.',
      'upload the file “lost.gif”',
      'Not an address',
      'This device is not known',
    ])
      expect(read.text).toContain(text);
    expect(read.text).toMatch(/name="cell:2:0" value="lost.gif"[^>]* aria-invalid="true"/);
    const shown = [...fields, planOn(read)];
    const early = await act('request', shown);
    expect([early.status, early.text.includes('Correct 1 row of the plan.')]).toEqual([422, true]);
    // The file is uploaded later, and then its name is known.
    const later = await act('add', [
      ...shown,
      ['files', gif('lost.gif')],
      ['cell:2:1', 'blog.example'],
      ['cell:2:3', 'iPhone'],
    ]);
    expect(later.text).toContain('2 rows.');
    expect(later.text).toContain('<strong>2 pictures</strong>');
    const all: Fields = [...shown, ...adsOn(later).map((id) => ['ad', id] as const)];
    const got = await act('request', all);
    expect(await picturesOf(got)).toEqual([
      'box.gif https://news.example/ desktop',
      'lost.gif https://blog.example/ iphone',
    ]);
    const again = await act('request', all);
    expect([again.status, again.text.includes('The plan in this form has since been sent')]).toEqual([422, true]);
  });

  it('a word for a device is explained once for all rows, and known in the next plan', async () => {
    const fields: Fields = [
      ['key', crypto.randomUUID()],
      ['ad', await newAd('box.gif', 300, 250)],
      ['campaign', 'Plan'],
    ];
    const plan = 'Ad\tSite\tDevice\nbox\ta.example\tDesktop HP\nbox\tb.example\tdesktop hp\n';
    const read = await act('check', [...fields, ['plan_text', plan]]);
    expect(read.text).toContain('2 of 2 rows need correction.');
    expect(read.text.match(/name="word:/g)).toHaveLength(1);
    const explained = await act('check', [...fields, planOn(read), ['word:desktop hp', 'desktop']]);
    expect(explained.text).toContain('<strong>2 pictures</strong>');
    const next = await act('check', [
      ...fields,
      planOn(explained),
      ['plan_text', plan.replace('a.example', 'c.example')],
    ]);
    expect(next.text).toContain('2 rows.');
    const { rows } = await server.store.pool.query("select changes from audit_log where action = 'settings.updated'");
    expect(rows).toEqual([{ changes: [{ field: 'desktop hp', from: null, to: 'desktop' }] }]);
  });

  it('of another window is neither changed nor requested by a form that does not show it', async () => {
    const fields: Fields = [
      ['key', crypto.randomUUID()],
      ['ad', await newAd('box.gif', 300, 250)],
      ['campaign', 'Plan'],
    ];
    const [[, key] = ['', '']] = fields;
    const first = await act('check', [...fields, ['plan_text', PLAN]]);
    const second = await act('check', [...fields, planOn(first), ['plan_text', PLAN.replace('news.', 'other.')]]);
    const stale = await act('save', [...fields, planOn(first), ['cell:1:1', 'mixed.example']]);
    expect([stale.status, stale.text.includes('in another window')]).toEqual([422, true]);
    expect(await form.get(`/o/demo/new?draft=${key}`)).toContain('value="other.example"');
    expect(planOn(second)).not.toEqual(planOn(first));
    const before = await act('request', fields);
    expect([before.status, before.text.includes('Another window added this plan')]).toEqual([422, true]);
  });

  it('with a device in each row needs no chosen device', async () => {
    const fields: Fields = [
      ['key', crypto.randomUUID()],
      ['ad', await newAd('box.gif', 300, 250)],
      ['campaign', 'Plan'],
    ];
    const read = await act('check', [...fields, ['plan_text', 'Ad\tSite\tDevice\nbox.gif\tnews.example\tiPad']]);
    const sent = [...fields, planOn(read)];
    const mixed = await act('request', [...sent, ['sites', 'blog.example']]);
    expect([mixed.status, mixed.text.includes('Choose at least one device.')]).toEqual([422, true]);
    expect(await picturesOf(await act('request', sent))).toEqual(['box.gif https://news.example/ ipad']);
  });

  it('says that markets do not count without locations', async () => {
    const plan = 'Ad\tSite\tMarket\nbox.gif\tnews.example\tDE\nbox.gif\tnews.example\tFR\n';
    const fields: Fields = [
      ['ad', await newAd('box.gif', 300, 250)],
      ['device', 'desktop'],
    ];
    const read = await act('check', [...fields, ['plan_text', plan]]);
    expect(read.text).toContain('The market is not used, because this service opens all pages from the same country.');
    expect(read.text).toContain('1 combination repeats another: taken once');
  });

  it('of a file without known headings gets them from the person', async () => {
    const ad = await newAd('box.gif', 300, 250);
    const fields: Fields = [
      ['key', crypto.randomUUID()],
      ['ad', ad],
      ['device', 'ipad'],
      ['campaign', 'Plan'],
    ];
    const read = await act('check', [...fields, ['plan_file', new File(['news.example;300x250\n'], 'plan.csv')]]);
    expect(read.text).toContain('Above the plan, choose which column');
    const meant = await act('request', [...fields, planOn(read), ['column:0', 'site'], ['column:1', 'size']]);
    expect(await picturesOf(meant)).toEqual(['box.gif https://news.example/ ipad']);
    const bad = await act('check', [...fields, ['plan_file', new File(['%PDF-1.7'], 'plan.pdf')]]);
    expect([bad.status, bad.text.includes('The file is neither CSV nor XLSX')]).toEqual([422, true]);
  });
});

/** The hidden field with all that was chosen for pages. */
async function chosenOn(path: string): Promise<Fields[number]> {
  const [, json = ''] = /name="chosen" value="([^"]+)"/.exec(await form.get(path)) ?? [];
  return ['chosen', json.replaceAll('&quot;', '"')];
}

it('a slot that a person clicks is used for ads of its size on that page and device', async () => {
  const ad = await newAd('box.gif', 300, 250);
  const fields = complete(ad);
  const asked = await act('slot', [...fields, ['slot_site', 'news.example'], ['slot_device', 'desktop']]);
  const path = asked.location ?? '';
  expect(path).toMatch(new RegExp(`^/o/demo/new/slots/[\\w-]{36}\\?draft=${KEY}$`));
  expect(await form.get(path)).toContain('The page is being captured');
  await takePlacement(server, path.slice('/o/demo/new/slots/'.length).split('?')[0] ?? '');
  const page = await form.get(`${path}&size=300x250&slot=2`);
  expect(await form.get(path)).toContain('<strong>Slot 1</strong>');
  await server.store.pool.query(`update placements set record = jsonb_set(record, '{sizes,0,chosen}', 'null')`);
  expect(await form.get(path)).toContain('<strong>Slot 1</strong>');
  expect(page).toContain(`action="${path}"`);
  expect(page).toMatch(/<image href="\/i\/[\w-]+\.png" x="10" y="400" width="300" height="250"\/>/);
  expect(page).toContain('It cannot hold the ad: too small for 300×250');
  const chosen = await form.postTo(path, { size: '300x250', slot: '2' });
  expect(chosen.location).toBe(`${MINE}#slots`);
  expect(await form.get(MINE)).toContain('for 300×250: slot 2');
  const sent: Fields = [...fields, await chosenOn(MINE)];
  const got = await act('request', sent);
  expect((await act('request', sent)).location).toBe(got.location);
  const rows = await server.store.db
    .selectFrom('screenshots')
    .select(['site_key', 'device', 'options'])
    .where('set_id', '=', got.location?.split('/').at(-1) ?? '')
    .execute();
  const withSlot = rows.filter(({ options }) => JSON.stringify(options).includes('"index":2'));
  expect(withSlot.map(({ site_key, device }) => `${site_key} ${device}`)).toEqual(['https://news.example/ desktop']);
});

describe('a file as the page', () => {
  const NEWS = 'https://news.example/';
  const html = new File(['<!doctype html><p>Saved'], 'saved.html');
  const png = async () => {
    const image = sharp({ create: { width: 780, height: 1_600, channels: 3, background: '#369' } });
    return new File([new Uint8Array(await image.png().toBuffer())], 'shot.png');
  };
  const use = (fields: Fields, site: string, device: string, file: File) =>
    act('file', [...fields, ['slot_site', site], ['slot_device', device], ['page_file', file]]);
  const place = (path: string, x: string, y: string) => {
    const [, action = ''] = /class="given-page" method="post" action="([^"]+)"/.exec(path) ?? [];
    return form.postTo(action.replaceAll('&amp;', '&'), { 'at.x': x, 'at.y': y });
  };

  it('is kept in the draft: a screenshot for one device, with a click for each size, a saved page for all', async () => {
    const [box, strip] = [await newAd('box.gif', 300, 250), await newAd('strip.gif', 320, 50)];
    const fields = complete(box, [['ad', strip]]);
    const { location } = await use(fields, NEWS, 'iphone', await png());
    expect(location).toContain(`/o/demo/new/place?draft=${KEY}&site=`);
    const first = await form.get(location ?? '');
    expect(first).toMatch(/<bdi>box.gif<\/bdi> \(300 × 250\).*src="\/o\/demo\/page_files\/[\w-]{36}\?device=iphone"/s);
    expect(await place(first, '380', '700')).toMatchObject({ status: 303, location });
    const unplaced = await act('request', fields);
    const missing = 'Choose the place of ads of 320×50 in the screenshot of news.example on iPhone.';
    expect([unplaced.status, unplaced.text.includes(missing), unplaced.text.includes('Place the ads')]).toEqual([
      422,
      true,
      true,
    ]);
    await place(await form.get(location ?? ''), '10', '20');
    await use(fields, 'https://blog.example/travel', 'desktop', html);
    const page = await form.get(MINE);
    for (const text of [
      `${NEWS} on iPhone: from the screenshot shot.png`,
      `${NEWS} on iPhone for 300×250: 90 px from the left and 700 px from the top`,
      'https://blog.example/travel on all devices: from the saved page saved.html',
      ', 3 pages from a file',
    ])
      expect(page).toContain(text);
    expect(page.indexOf('from the screenshot')).toBeLessThan(page.indexOf('px from the left'));
    const sent: Fields = [...fields, await chosenOn(MINE)];
    const got = await act('request', sent);
    expect((await act('request', sent)).location).toBe(got.location);
    expect(await filesOf(got)).toEqual(
      [
        'box.gif https://news.example/ iphone image 90,700',
        'box.gif https://blog.example/travel desktop html',
        'box.gif https://blog.example/travel iphone html',
        'strip.gif https://news.example/ iphone image 10,20',
        'strip.gif https://blog.example/travel iphone html',
        'strip.gif https://blog.example/travel desktop html',
      ].toSorted(),
    );
  });

  it('says what is wrong with it, can be removed, and is no part of a template', async () => {
    const fields = complete(await newAd('box.gif', 300, 250));
    const bad = await use(fields, NEWS, 'desktop', gif('page.gif'));
    expect([bad.status, bad.text.includes('page.gif: The file is neither a screenshot (PNG')]).toEqual([422, true]);
    expect((await act('file', [...fields, ['slot_site', NEWS], ['slot_device', 'desktop']])).text).toContain(
      'Choose a file first.',
    );
    expect((await use(fields, '', '', html)).text).toContain('Enter a site and choose a device first.');
    await use(fields, NEWS, 'iphone', html);
    await place(await form.get((await use(fields, NEWS, 'desktop', await png())).location ?? ''), '1', '2');
    const slot = await act('slot', [...fields, ['slot_site', NEWS], ['slot_device', 'iphone']]);
    expect(slot.text).toContain('This page is a file, whose best slot is used.');
    const saved = await act('template-save', [...fields, ['template_name', 'Files']]);
    expect(saved.text).toContain('The template “Files” was saved, without the files of pages.');
    await server.store.db
      .updateTable('uploads')
      .set({ expires_at: new Date(0) })
      .where('name', '=', 'saved.html')
      .execute();
    const expired = await act('request', fields);
    expect([expired.status, expired.text.includes('The file “saved.html” was deleted or has expired')]).toEqual([
      422,
      true,
    ]);
    await act(`choice-clear:["${NEWS}",""]`, fields);
    const cleared = await act(`choice-clear:["${NEWS}","desktop"]`, fields);
    expect(cleared.text).not.toMatch(/from the|px from/);
    expect(await filesOf(await act('request', fields))).toEqual([]);
  });
});

describe('a draft', () => {
  it('is there after the session, in the page of its key alone, until the person starts over or sends it', async () => {
    const ad = await form.newAd();
    await act('save', complete(ad, [['media', 'https://cdn.example/not-added.png']]));
    const again = await RequestForm.open(server);
    const page = await again.get(MINE);
    for (const text of [
      'news.example\nhttps://blog.example/travel',
      'not-added.png',
      'value="Autumn"',
      `value="${ad}"`,
    ])
      expect(page).toContain(text);
    expect((await act('clear', complete(ad))).location).toBe('/o/demo/new');
    expect(await form.get(MINE)).not.toContain('blog.example/travel\n');
    await act('save', complete(ad));
    expect((await act('request', complete(ad))).status).toBe(303);
    expect(await form.get(MINE)).not.toContain('value="Autumn" autocomplete');
  });

  it('of a tab is not that of another tab: each address has its own, and a new one lists the others', async () => {
    const opened = async (path = '/o/demo/new?campaign=Spring') => {
      const text = await form.get(path);
      return { text, key: /name="key" value="([^"]+)"/.exec(text)?.[1] ?? '' };
    };
    const [one, two] = [await opened(), await opened()];
    expect(one.text).toContain(`action="/o/demo/new?draft=${one.key}"`);
    for (const [{ key }, site] of [
      [one, 'one.example'],
      [two, 'two.example'],
    ] as const)
      await act('save', [
        ['key', key],
        ['sites', site],
      ]);
    for (const [{ key }, site] of [
      [one, 'one.example'],
      [two, 'two.example'],
    ] as const)
      expect((await opened(`/o/demo/new?campaign=Spring&draft=${key}`)).text).toContain(`${site}</textarea>`);
    const fresh = await opened('/o/demo/new');
    expect(fresh.text).toMatch(/Continue a draft \(2\).*two\.example<.*one\.example</s);
    expect(fresh.text).not.toContain('.example</textarea>');
    // The eleventh draft replaces the oldest one.
    for (let i = 0; i < 9; i += 1)
      await act('save', [
        ['key', crypto.randomUUID()],
        ['sites', 'more.example'],
      ]);
    const list = (await opened('/o/demo/new')).text;
    expect([
      list.includes('Continue a draft (10)'),
      list.includes('one.example'),
      list.includes('two.example'),
    ]).toEqual([true, false, true]);
  });

  it('that is too large to be kept is shown again, with a fault', async () => {
    const large = `news.example/${'x'.repeat(1_400_000)}`;
    const got = await act('save', [
      ['key', crypto.randomUUID()],
      ['sites', large],
      ['media', '\u0001'.repeat(400_000)],
    ]);
    expect([got.status, got.text.includes('The draft is too large to be kept')]).toEqual([422, true]);
    expect(got.text).toContain('xxx</textarea>');
  });
});
