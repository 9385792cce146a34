import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readVersions } from '../../../../src/core/sets/readVersions.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import type { ScreenshotStatus, SetStatus } from '../../../../src/domain/states.ts';
import { chooseVersion } from '../../../../src/domain/versions.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ limits: { ...DEFAULT_LIMITS, subscribers: 2 } });
});
afterAll(() => api.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const on = (url: string, device = 'desktop', options?: object) => ({
  site: { url },
  device: { name: device },
  options,
});

/** Requests a set and gives its screenshots these statuses. @returns its record. */
async function finishedSet(statuses: ScreenshotStatus[], more: Json = {}, set: SetStatus = 'approved'): Promise<Json> {
  const screenshots = more.screenshots ?? statuses.map((_status, i) => on(`https://news.example/${i}`));
  const made = await api.post('screenshot_requests', {
    campaign: { name: 'Retakes' },
    screenshot_requests: [{ ad: { media }, screenshots }],
    ...more.body,
  });
  expect(made.status).toBe(202);
  await finish(made.json.id, statuses, set);
  return (await api.get(`screenshot_sets/${made.json.id}`)).json;
}

async function finish(setId: string, statuses: ScreenshotStatus[], set: SetStatus = 'approved'): Promise<void> {
  const { db } = api.store;
  for (const [seq, status] of statuses.entries()) {
    await db
      .updateTable('screenshots')
      .set({ status, record: JSON.stringify({ candidates_found: 3 }) })
      .where('set_id', '=', setId)
      .where('seq', '=', seq)
      .execute();
  }
  await db.updateTable('screenshot_sets').set({ status: set }).where('id', '=', setId).execute();
}

const retakeSet = (id: string, body: unknown = {}, headers = {}) =>
  api.post(`screenshot_sets/${id}/retake`, body, headers);
const retakeOne = (id: string, body: unknown = {}) => api.post(`screenshots/${id}/retake`, body);
const optionsOf = async (setId: string) =>
  (
    await api.store.db.selectFrom('screenshots').select('options').where('set_id', '=', setId).orderBy('seq').execute()
  ).map(({ options }) => options);

test('sets count those of their campaign with the same contents, and retakes are its rounds', async () => {
  const campaign = { name: 'Rounds' };
  const [first, second] = [
    await finishedSet(['uploaded'], { body: { campaign } }),
    await finishedSet(['uploaded'], { body: { campaign, name: ' Launch ' } }),
  ];
  const rounds = [await retakeSet(first.id, { which: 'all' }), await retakeSet(first.id, { which: 'all' })];
  const ids = [first.id, second.id, ...rounds.map(({ json }) => json.id)];
  const columns = ['id', 'name', 'contents', 'nth', 'round'] as const;
  const rows = await api.store.db.selectFrom('screenshot_sets').select(columns).where('id', 'in', ids).execute();
  const contents = '1 ad on news.example, Desktop';
  expect(ids.map((id) => rows.find((row) => row.id === id))).toEqual([
    { id: ids[0], name: null, contents, nth: 1, round: 1 },
    { id: ids[1], name: 'Launch', contents, nth: 2, round: 1 },
    { id: ids[2], name: null, contents, nth: 1, round: 2 },
    { id: ids[3], name: null, contents, nth: 1, round: 3 },
  ]);
});

describe('a retake of a screenshot', () => {
  test('the retake of one screenshot is a new set of the same ad, site, device and marker, and the old one stays', async () => {
    const options = { ad: { frames: [{ marker: 2.5 }], allow_scaling: true }, page: { other_ads: 'keep' } };
    const old = await finishedSet(['uploaded', 'uploaded'], {
      screenshots: [on('https://news.example/a', 'iphone', options), on('https://news.example/b')],
    });
    const reply = await retakeOne(old.screenshots[0].id);
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      type: 'screenshot_set',
      status: 'draft',
      campaign_id: old.campaign_id,
      retake_of: old.id,
      retaken_by: null,
      review: null,
      screenshots: [
        {
          status: 'pending',
          site: { url: 'https://news.example/a' },
          device: { name: 'iphone' },
          frame: { marker: 2.5 },
          ad: { id: old.screenshots[0].ad.id },
          retake_of: old.screenshots[0].id,
        },
      ],
    });
    expect(await optionsOf(reply.json.id)).toEqual([
      { allow_scaling: true, slot: null, other_ads: 'keep', full_page: false, view: 'slot', animation: null },
    ]);
    expect((await api.get(`screenshot_sets/${old.id}`)).json).toEqual({
      ...old,
      retaken_by: reply.json.id,
      screenshots: [{ ...old.screenshots[0], retaken_by: reply.json.screenshots[0].id }, old.screenshots[1]],
    });
    const queued = await api.store.pool.query(`select payload from queued where name = 'launch'`);
    expect(queued.rows.length).toBeGreaterThan(1);
  });

  test('a retake of a screenshot of a group takes the whole group again, and only it gets another slot', async () => {
    const pages = [on('https://news.example/'), on('https://blog.example/')];
    const entry = { ad: { media }, group: 'Takeover', screenshots: pages };
    const old = await finishedSet(['uploaded', 'no_slots', 'uploaded', 'uploaded', 'uploaded'], {
      body: { screenshot_requests: [entry, entry, { ad: { media }, screenshots: pages.slice(0, 1) }] },
    });
    expect(old.screenshots.map(({ group }: Json) => group)).toEqual([...Array(4).fill('Takeover'), undefined]);
    const reply = await retakeOne(old.screenshots[0].id, { options: { slot: { selector: '#a' } } });
    const again = reply.json.screenshots;
    expect(again.map((s: Json) => s.retake_of)).toEqual([0, 2].map((at) => old.screenshots[at].id));
    expect(again.map(({ group }: Json) => group)).toEqual(['Takeover', 'Takeover']);
    expect(await optionsOf(reply.json.id)).toMatchObject([{ slot: { selector: '#a' } }, { slot: null }]);
    const failures = await retakeSet(old.id, { which: 'failures' });
    expect(failures.json.screenshots.map((s: Json) => s.retake_of)).toEqual([1, 3].map((at) => old.screenshots[at].id));
  });

  test('a retake on another page does not make one picture of two pictures of a group', async () => {
    const entryOn = (url: string) => ({ ad: { media }, group: 'Takeover', screenshots: [on(url)] });
    const pages = ['https://news.example/', 'https://news.example/', 'https://blog.example/'];
    const body = { screenshot_requests: pages.map(entryOn) };
    const old = await finishedSet(['uploaded', 'uploaded', 'uploaded'], { body });
    const site = { url: 'https://other.example/' };
    expect(await retakeSet(old.id, { site })).toMatchObject({
      ...{
        status: 422,
        json: { errors: { 'site.url': [expect.stringMatching(/^makes several screenshots the same/)] } },
      },
    });
    const ofOne = { screenshot_ids: [old.screenshots[0].id], site };
    expect((await retakeSet(old.id, ofOne)).json.screenshots).toMatchObject([{ site }, { site }]);
  });

  test('a retake takes another page, device, slot and other options, and keeps those that are not named', async () => {
    const old = await finishedSet(['no_slots'], {
      screenshots: [on('https://news.example/a', 'desktop', { ad: { allow_scaling: true } })],
    });
    const reply = await retakeOne(old.screenshots[0].id, {
      site: { url: 'blog.example/post' },
      device: { name: 'mobile' },
      options: { slot: { selector: '#top' }, page: { full_page: true } },
    });
    expect(reply.json.screenshots).toMatchObject([{ site: { url: 'blog.example/post' }, device: { name: 'mobile' } }]);
    expect(await optionsOf(reply.json.id)).toEqual([
      {
        allow_scaling: true,
        slot: { selector: '#top' },
        other_ads: 'hide',
        full_page: true,
        view: 'slot',
        animation: null,
      },
    ]);
  });

  test('a candidate of the record can be chosen by number, and no other number', async () => {
    const old = await finishedSet(['uploaded']);
    const [{ id }] = old.screenshots;
    const wrong = await retakeOne(id, { options: { slot: { index: 4 } } });
    expect([wrong.status, wrong.json.errors]).toEqual([
      422,
      { 'options.slot.index': ['must be at most 3, the number of candidates in the record.'] },
    ]);
    const right = await retakeOne(id, { options: { slot: { index: 3 } } });
    expect([right.status, await optionsOf(right.json.id)]).toMatchObject([202, [{ slot: { index: 3 } }]]);
    const elsewhere = await retakeOne(id, { site: { url: 'blog.example' }, options: { slot: { index: 4 } } });
    expect(elsewhere.status).toBe(202);
  });

  test('one response lists all faults of a retake', async () => {
    const old = await finishedSet(['uploaded']);
    const reply = await retakeOne(old.screenshots[0].id, {
      site: { url: 'ftp://news.example' },
      device: { name: 'fridge' },
      options: { slot: {}, ad: { frames: [{ marker: 31 }] } },
      subscribers: [{}],
      instructions: 5,
    });
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.json.errors).sort()).toEqual(
      ['device.name', 'instructions', 'options.ad.frames.0.marker', 'options.slot', 'site.url', 'subscribers.0'].sort(),
    );
    const frames = await retakeOne(old.screenshots[0].id, { options: { ad: { frames: [{ marker: 1 }] } } });
    expect([frames.status, Object.keys(frames.json.errors)]).toEqual([422, ['options.ad.frames']]);
  });

  test('an unknown screenshot or set gets 404', async () => {
    for (const reply of [
      await retakeOne(NOBODY),
      await retakeSet(NOBODY),
      await api.post(`screenshot_sets/${NOBODY}/duplicate`, {}),
    ]) {
      expect([reply.status, Object.keys(reply.json.errors)]).toEqual([404, ['id']]);
    }
  });
});

describe('a retake of a set', () => {
  test('without a body the whole set is taken again, with its subscribers and instructions', async () => {
    const webhook = { url: 'https://you.example/hook', topics: ['screenshot_set.failed', 'screenshot_set.approved'] };
    const body = { subscribers: [{ webhook }], instructions: 'Mind the logo.' };
    const old = await finishedSet(['uploaded', 'blocked'], { body });
    const reply = await retakeSet(old.id, '');
    expect([reply.status, reply.json.instructions]).toEqual([202, 'Mind the logo.']);
    expect(reply.json.screenshots.map((s: Json) => s.retake_of)).toEqual(old.screenshots.map((s: Json) => s.id));
    const stored = await api.store.db
      .selectFrom('subscribers')
      .selectAll()
      .where('set_id', '=', reply.json.id)
      .execute();
    expect(stored).toMatchObject([
      { webhook_url: webhook.url, webhook_topics: webhook.topics.toSorted((a, b) => a.localeCompare(b)), seq: 0 },
    ]);
    const quiet = await retakeSet(old.id, { subscribers: [], instructions: 'Now.' });
    expect(quiet.json.instructions).toBe('Now.');
    const none = await api.store.db
      .selectFrom('subscribers')
      .select('id')
      .where('set_id', '=', quiet.json.id)
      .execute();
    expect(none).toEqual([]);
  });

  test('only the failures are taken again, and each once', async () => {
    const old = await finishedSet(['uploaded', 'no_slots', 'canceled', 'blocked']);
    const failed = [old.screenshots[1].id, old.screenshots[3].id];
    const first = await retakeSet(old.id, { which: 'failures' });
    expect(first.json.screenshots.map((s: Json) => s.retake_of)).toEqual(failed);
    const again = await retakeSet(old.id, { which: 'failures' });
    expect([again.status, Object.keys(again.json.errors)]).toEqual([409, ['which']]);
    await finish(first.json.id, ['uploaded', 'no_slots']);
    const rest = await retakeSet(old.id, { which: 'failures' });
    expect(rest.json.screenshots.map((s: Json) => s.retake_of)).toEqual([failed[1]]);
  });

  test('a set without failures has nothing to take again', async () => {
    const old = await finishedSet(['uploaded']);
    const reply = await retakeSet(old.id, { which: 'failures' });
    expect([reply.status, reply.json.errors]).toEqual([
      409,
      { which: ['finds no failed screenshot that was not taken again since.'] },
    ]);
  });

  test('named screenshots are taken again, and ids of other sets are faults', async () => {
    const old = await finishedSet(['uploaded', 'uploaded', 'uploaded']);
    const ids = [old.screenshots[2].id, old.screenshots[0].id];
    const reply = await retakeSet(old.id, { screenshot_ids: ids });
    expect(reply.json.screenshots.map((s: Json) => s.retake_of)).toEqual(ids.toReversed());
    const wrong = await retakeSet(old.id, { screenshot_ids: [ids[0], NOBODY] });
    expect([wrong.status, Object.keys(wrong.json.errors)]).toEqual([422, ['screenshot_ids.1']]);
  });

  test('a change that makes two screenshots the same is a fault', async () => {
    const old = await finishedSet(['uploaded', 'uploaded']);
    const reply = await retakeSet(old.id, { site: { url: 'blog.example' } });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['site.url']]);
  });

  test.each(['draft', 'capturing'] as const)('a set that is %s cannot be taken again', async (status) => {
    const old = await finishedSet(['uploaded'], {}, status);
    const replies = [
      await retakeSet(old.id),
      await retakeOne(old.screenshots[0].id),
      await api.post(`screenshot_sets/${old.id}/duplicate`, {}),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(409);
      expect(reply.json.errors.status[0]).toBe(
        `is ${status}, so the set is not finished: wait until it is, or cancel it.`,
      );
    }
  });

  test.each(['failed', 'rejected', 'canceled', 'in_review'] as const)(
    'a set that is %s can be taken again',
    async (status) => {
      const old = await finishedSet(['canceled'], {}, status);
      expect((await retakeSet(old.id)).status).toBe(202);
    },
  );

  test('an idempotency key replays the same set, and is free for another set', async () => {
    const [one, two] = [await finishedSet(['uploaded']), await finishedSet(['uploaded'])];
    const headers = { 'idempotency-key': randomUUID() };
    const first = await retakeSet(one.id, {}, headers);
    const replayed = await retakeSet(one.id, {}, headers);
    expect([replayed.text, replayed.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect((await retakeSet(two.id, {}, headers)).json.retake_of).toBe(two.id);
  });

  test('an S3 subscriber without a connector is a fault', async () => {
    const old = await finishedSet(['uploaded']);
    const reply = await retakeSet(old.id, { subscribers: [{ s3: { bucket: 'mine', region: 'eu-central-1' } }] });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['subscribers.0.s3']]);
  });
});

describe('a duplicate', () => {
  test('a duplicate has the same screenshots and is no retake', async () => {
    const old = await finishedSet(['uploaded', 'no_slots']);
    const reply = await api.post(`screenshot_sets/${old.id}/duplicate`, { which: 'failures' });
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({ retake_of: null, screenshots: [{ retake_of: null }, { retake_of: null }] });
    expect((await api.get(`screenshot_sets/${old.id}`)).json).toEqual(old);
  });
});

describe('the versions of a screenshot', () => {
  test('retakes of retakes are versions of one screenshot, newest first', async () => {
    const first = await finishedSet(['uploaded', 'uploaded']);
    const [id, other] = first.screenshots.map((s: Json) => s.id);
    const second = (await retakeOne(id)).json;
    await finish(second.id, ['no_slots']);
    const third = (await retakeOne(second.screenshots[0].id)).json;
    await finish(third.id, ['uploaded']);
    const expected = [third, second].map((set) => set.screenshots[0].id);
    const versions = await readVersions(api.store.db, first.id);
    expect(versions.get(id)?.map((version) => version.id)).toEqual([...expected, id]);
    expect(versions.get(other)?.map((version) => version.id)).toEqual([other]);
    expect(chooseVersion(versions.get(id) ?? [], { own: id })?.shown).toMatchObject({
      id: expected[0],
      set_id: third.id,
    });
    const ofThird = await readVersions(api.store.db, third.id);
    expect(ofThird.get(expected[0])?.map((version) => version.id)).toEqual([...expected, id]);
    const ofSecond = await readVersions(api.store.db, second.id);
    expect([...ofSecond.keys()]).toEqual([expected[1]]);
    expect((await api.get(`screenshot_sets/${second.id}`)).json).toMatchObject({
      retake_of: first.id,
      retaken_by: third.id,
    });
  });

  test('the versions of a set are bounded, and the newest ones are kept', async () => {
    const first = await finishedSet(['uploaded']);
    const [{ id }] = first.screenshots;
    let newest = '';
    for (let i = 0; i < 25; i += 1) {
      const made = (await retakeOne(id)).json;
      await finish(made.id, ['uploaded']);
      newest = made.screenshots[0].id;
    }
    const versions = (await readVersions(api.store.db, first.id)).get(id) ?? [];
    expect([versions.length, versions[0]?.id, versions.at(-1)?.id]).toEqual([21, newest, id]);
  });
});

test('a retake with more faults than an answer lists is rejected before its set is looked for', async () => {
  const idsOf = (length: number) => ({ screenshot_ids: Array.from({ length }, () => 'no id') });
  expect((await retakeSet(NOBODY, idsOf(100))).status).toBe(404);
  const { status, json } = await retakeSet(NOBODY, idsOf(101));
  expect([status, Object.keys(json.errors).length]).toEqual([422, 101]);
});

test('a retake of a hundred and one other screenshots lists a hundred of them', async () => {
  const { id } = await finishedSet(['uploaded']);
  const { status, json } = await retakeSet(id, { screenshot_ids: Array.from({ length: 101 }, () => randomUUID()) });
  expect([status, Object.keys(json.errors).length]).toEqual([422, 101]);
  expect(json.errors.body).toEqual(['has more faults: these are the first 100.']);
});
