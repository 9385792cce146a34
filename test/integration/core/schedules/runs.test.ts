import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChat } from '../../../../src/core/notices/chats.ts';
import { requireOrganization } from '../../../../src/core/organizations/organizations.ts';
import { runSchedule, startSchedules, wakeLateSchedules } from '../../../../src/core/schedules/runs.ts';
import { type Enqueuer, type Payloads, startQueue } from '../../../../src/db/queue.ts';
import { SERVICE } from '../../../../src/domain/auditLog.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { sleep } from '../../../../src/lib/sleep.ts';
import { formatTraceparent } from '../../../../src/lib/traceparent.ts';
import { NO_SPAN, useTracer } from '../../../../src/observe/tracing.ts';
import { eventually } from '../../../support/eventually.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let entries: Payloads['run_schedule'][];
beforeEach(async () => {
  api = await startPublicApi();
  entries = [];
});
afterEach(() => api.close());

const REQUEST = {
  campaign: { name: 'Spring' },
  screenshot_requests: [
    {
      ad: { name: 'Banner', media: { type: 'url', content: 'https://ads.example/a.png' } },
      screenshots: [
        {
          site: { url: 'https://news.example' },
          device: { name: 'iphone' },
          options: { ad: { frames: [{ marker: 0 }, { marker: 2.5 }], allow_scaling: true } },
        },
      ],
    },
  ],
  subscribers: [{ webhook: { url: 'https://you.example/hook' } }],
  instructions: 'Check the logo.',
  metadata: { plan: '7' },
};
const SCHEDULE = { name: 'Spring', rule: { cron: '*/15 * * * *' }, time_zone: 'Europe/Berlin', request: REQUEST };

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const queue: Enqueuer = {
  enqueue: (_tx, name, payload) => {
    if (name === 'run_schedule') entries.push(payload as Payloads['run_schedule']);
    return Promise.resolve();
  },
};
const counted: string[] = [];
const countRun = (outcome: string) => counted.push(outcome);
const context = { queue, limits: DEFAULT_LIMITS, log: silent, countRun };

async function create(change: object = {}): Promise<string> {
  const { status, json } = await api.post('schedules', { ...SCHEDULE, ...change });
  expect([status, json]).toEqual([201, expect.objectContaining({ type: 'schedule', status: 'active' })]);
  return json.id;
}

/** Lets the next run have been due some minutes ago. @returns the entry of the queue for it. */
async function makeDue(id: string, minutesAgo = 1): Promise<Payloads['run_schedule']> {
  const { rows } = await sql<{ due_at: Date }>`update schedules
    set due_at = date_trunc('second', now()) - make_interval(secs => ${minutesAgo * 60}), starts_at = now() - interval '9 days'
    where id = ${id} returning due_at`.execute(api.store.db);
  return { schedule_id: id, due_at: rows[0]?.due_at.toISOString() ?? '' };
}

const run = (entry: Payloads['run_schedule'], more: Partial<typeof context> = {}) =>
  runSchedule(entry, { db: api.store.db, ...context, ...more });

const read = async (id: string) => (await api.get(`schedules/${id}`)).json;
const endSets = () => sql`update screenshot_sets set status = 'approved', approved_at = now()`.execute(api.store.db);

test('a run makes a set of the same campaign and ads, and arms the next run', async () => {
  const id = await create();
  const made = await read(id);
  expect(made.next_runs).toHaveLength(5);
  await run(await makeDue(id));
  await endSets();
  await run(await makeDue(id, 0));
  const { json: sets } = await api.get('screenshot_sets');
  expect(sets.total).toBe(2);
  expect(sets.data[0]).toMatchObject({
    schedule_id: id,
    campaign_id: made.campaign_id,
    instructions: 'Check the logo.',
  });
  const { json: set } = await api.get(`screenshot_sets/${sets.data[0].id}`);
  expect(set).toMatchObject({ schedule_id: id, metadata: { plan: '7' } });
  expect(set.screenshots).toMatchObject([
    { site: { url: 'https://news.example' }, device: { name: 'iphone' }, frame: { marker: 0 } },
    { frame: { marker: 2.5 }, ad: { id: made.request.screenshot_requests[0].ad.id } },
  ]);
  expect(await Promise.all([api.count('ads'), api.count('campaigns'), api.count('subscribers')])).toEqual([1, 1, 2]);
  const after = await read(id);
  expect(after.last_run).toMatchObject({ outcome: 'requested', screenshot_set_id: set.id, reason: null });
  expect(entries.at(-1)).toEqual({ schedule_id: id, due_at: new Date(after.next_runs[0]).toISOString() });
});

test('a schedule keeps no cookies and headers of pages', async () => {
  const page = { cookies: [{ name: 'session', value: 'of-a-reader' }] };
  const [entry] = REQUEST.screenshot_requests;
  const screenshots = entry?.screenshots.map((one) => ({ ...one, options: { page } }));
  const request = { ...REQUEST, screenshot_requests: [{ ...entry, screenshots }] };
  const { status, json } = await api.post('schedules', { ...SCHEDULE, request });
  expect([status, json.errors]).toEqual([
    422,
    { 'request.screenshot_requests': [expect.stringContaining('a schedule keeps none')] },
  ]);
  const { json: set } = await api.post('screenshot_requests', request);
  const repeated = await api.post('schedules', { ...SCHEDULE, request: undefined, screenshot_set: { id: set.id } });
  expect([repeated.status, repeated.json.errors]).toEqual([
    422,
    { 'screenshot_set.id': [expect.stringContaining('a schedule keeps none')] },
  ]);
});

test('controllers that get the same entry at the same time make one set', async () => {
  const entry = await makeDue(await create());
  // The first one ends its transaction when the others have begun theirs.
  const slow: Enqueuer = { enqueue: () => sleep(500) };
  await Promise.all(Array.from({ length: 6 }, () => run(entry, { queue: slow })));
  expect(await Promise.all([api.count('screenshot_sets'), api.count('schedule_runs')])).toEqual([1, 1]);
});

test('a process that is killed between the run and the next entry leaves nothing, and the run is made once', async () => {
  const id = await create();
  const entry = await makeDue(id);
  counted.length = 0;
  const killed: Enqueuer = {
    enqueue: async (tx, name) => {
      if (name === 'run_schedule') await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
    },
  };
  await expect(run(entry, { queue: killed })).rejects.toThrow();
  expect(counted).toEqual(['failed']);
  expect(await api.count('screenshot_sets')).toBe(0);
  await run(entry);
  await run(entry);
  expect(await Promise.all([api.count('screenshot_sets'), api.count('schedule_runs')])).toEqual([1, 1]);
  // The second entry is no run any more.
  expect(counted).toEqual(['failed', 'requested']);
});

test('a late schedule without an entry gets one, and not one each minute', async () => {
  const entry = await makeDue(await create(), 2);
  entries = [];
  expect(await wakeLateSchedules(api.store.db, queue)).toBe(1);
  expect(await wakeLateSchedules(api.store.db, queue)).toBe(0);
  expect(entries).toEqual([entry]);
});

test('no run begins while the set of an earlier one is captured', async () => {
  const id = await create();
  await run(await makeDue(id, 14));
  await run(await makeDue(id));
  expect(await api.count('screenshot_sets')).toBe(1);
  const { last_run, status } = await read(id);
  expect(status).toBe('active');
  expect(last_run).toMatchObject({ outcome: 'skipped', screenshot_set_id: null });
  expect(last_run.reason).toMatch(/^The pictures of the run of .+ were still being taken\.$/);
});

test.each([
  ['once', 'requested', 1],
  ['skip', 'skipped', 0],
] as const)('runs of three days that were missed give with "%s" one run that is %s', async (missed, outcome, sets) => {
  const id = await create({ missed });
  await run(await makeDue(id, 3 * 24 * 60));
  const { last_run, next_runs } = await read(id);
  expect(last_run.outcome).toBe(outcome);
  expect(await api.count('screenshot_sets')).toBe(sets);
  expect(await api.count('schedule_runs')).toBe(1);
  expect(Date.parse(next_runs[0])).toBeGreaterThan(Date.now());
});

test('a run is a span, and its set belongs to the trace', async () => {
  const id = await create();
  const entry = await makeDue(id);
  const active = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  const spans: unknown[] = [];
  useTracer({
    run: async (name, options, work) => {
      spans.push([name, options]);
      return work(NO_SPAN);
    },
    within: (_parent, work) => work(),
    active,
    activeSpan: NO_SPAN,
  });
  try {
    await run(entry);
  } finally {
    useTracer(undefined);
  }
  expect(spans).toContainEqual(['run schedule', { kind: 'producer', attributes: { 'tearsheet.schedule': id } }]);
  const sets = await api.store.db.selectFrom('screenshot_sets').select('traceparent').execute();
  expect(sets).toEqual([{ traceparent: formatTraceparent(active) }]);
});

test('a run waits if the clock went back', async () => {
  const id = await create();
  const entry = await makeDue(id, -60);
  entries = [];
  await run(entry);
  expect(await api.count('schedule_runs')).toBe(0);
  expect(entries).toEqual([entry]);
});

test('an entry does not count after its schedule was changed, paused or deleted', async () => {
  const id = await create();
  const entry = await makeDue(id);
  const change = (body: object) => patch(id, body);
  expect((await change({ rule: { cron: '7 3 * * *' } })).json.next_runs[0]).toMatch(/T0[12]:07/);
  await run(entry);
  const paused = await change({ paused: true });
  expect(paused.json).toMatchObject({ status: 'paused', paused: true, paused_reason: null, next_runs: [] });
  await run({ schedule_id: id, due_at: new Date(paused.json.created_at).toISOString() });
  expect((await change({ paused: false })).json).toMatchObject({ status: 'active' });
  const due = await makeDue(id);
  expect((await api.remove(`schedules/${id}`)).status).toBe(204);
  expect((await api.remove(`schedules/${id}`)).status).toBe(204);
  expect((await api.get(`schedules/${id}`)).status).toBe(410);
  await run(due);
  expect(await api.count('screenshot_sets')).toBe(0);
  const { json } = await api.get('audit_log');
  const actions = json.data.map(({ action }: { action: string }) => action);
  const updated = 'schedule.updated';
  expect(actions).toEqual(['schedule.deleted', updated, updated, updated, 'schedule.created']);
});

function patch(id: string, body: object) {
  const headers = { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' };
  return api.send({ method: 'PATCH', path: `/api/v1/orgs/acme/schedules/${id}`, headers, body: JSON.stringify(body) });
}

test('a refused run says why, and ten in a row pause the schedule, of which a notice tells', async () => {
  const id = await create();
  const chat = { name: 'Team', kind: 'slack', address: 'https://chat.example/', notices: ['schedule_paused'] } as const;
  const { id: organizationId } = await requireOrganization(api.store.db, 'acme');
  await api.store.db.transaction().execute((tx) => createChat(tx, organizationId, chat, SERVICE));
  await sql`update organizations set pictures_per_day = 1`.execute(api.store.db);
  await run(await makeDue(id, 14));
  expect((await read(id)).last_run.reason).toContain('may request 1 screenshots a day');
  await sql`update organizations set pictures_per_day = null, disabled_at = now()`.execute(api.store.db);
  await run(await makeDue(id, 13));
  await sql`update organizations set disabled_at = null`.execute(api.store.db);
  expect((await read(id)).last_run.reason).toBe('The organization is disabled.');
  await sql`delete from ads`.execute(api.store.db);
  for (let i = 0; i < 8; i += 1) await run(await makeDue(id, 12 - i));
  const paused = await read(id);
  expect(paused).toMatchObject({ status: 'paused', paused: true, last_run: { outcome: 'refused' } });
  expect(paused.paused_reason).toMatch(/^10 runs in a row were refused\. The last reason: .* is not the id of an ad/);
  expect(await api.count('screenshot_sets')).toBe(0);
  const notices = await api.store.db.selectFrom('notices').select(['kind', 'subject_id', 'facts']).execute();
  const facts = { label: 'Spring', reason: paused.paused_reason };
  expect(notices).toEqual([{ kind: 'schedule_paused', subject_id: id, facts }]);
  const { json } = await api.get('audit_log?action=schedule.updated');
  expect(json.data).toMatchObject([{ actor: { type: 'service' }, object: { id } }]);
  expect((await patch(id, { paused: false })).json).toMatchObject({ status: 'active', paused_reason: null });
});

test('a schedule can repeat a template and a set', async () => {
  const first = await api.post('screenshot_requests', REQUEST);
  const set = await create({ request: undefined, screenshot_set: { id: first.json.id } });
  await run(await makeDue(set));
  const { json: ads } = await api.get('ads');
  const template = {
    name: 'News',
    sites: [{ url: 'https://a.example' }, { url: 'https://b.example' }],
    devices: [{ name: 'desktop' }, { width: 412, height: 915 }],
    ads: [{ id: ads.data[0].id }],
    campaign: { name: 'Summer' },
  };
  const saved = await api.post('templates', template);
  const other = await create({ request: undefined, template: { id: saved.json.id } });
  await run(await makeDue(other));
  const { json: sets } = await api.get('screenshot_sets');
  const counts = sets.data.map((one: { schedule_id: string; counts: { total: number } }) => [
    one.schedule_id,
    one.counts.total,
  ]);
  expect(counts).toEqual([
    [other, 4],
    [set, 2],
    [null, 2],
  ]);
  const bare = await api.post('templates', { name: 'Bare', sites: template.sites });
  const refused = await api.post('schedules', { ...SCHEDULE, request: undefined, template: { id: bare.json.id } });
  expect(refused.json.errors).toEqual({
    'template.id': ['is the id of a template without ads, devices, campaign: save it with all of them first.'],
  });
});

test.each([
  [{ rule: { cron: '* * * * *' } }, { 'rule.cron': [expect.stringContaining('at least 15')] }],
  [{ rule: {} }, { 'rule.cron': [expect.stringContaining('is required')] }],
  [{ rule: { start: '10:00', end: '08:00' } }, { 'rule.end': [expect.stringContaining('must be after start')] }],
  [{ rule: { start: '01:00', end: '14:00' } }, { 'rule.end': [expect.stringContaining('at most 12 hours')] }],
  [{ time_zone: '+01:00' }, { time_zone: [expect.stringContaining('IANA')] }],
  [{ to: '2020-01-01T00:00:00Z' }, { rule: [expect.stringContaining('has no run between')] }],
  [{ to: '2099-01-01T00:00:00Z' }, { to: ['must be at most 731 days from now.'] }],
  [{ rule: { cron: '0 9 30 2 *' } }, { rule: [expect.stringContaining('has no run between')] }],
  [{ request: { ...REQUEST, campaign: { id: 'x' } } }, { 'request.campaign.id': [expect.any(String)] }],
  [{ request: { ...REQUEST, screenshot_requests: [] } }, { 'request.screenshot_requests': [expect.any(String)] }],
  [{ request: undefined }, { request: [expect.stringContaining('give one of the three')] }],
  [{ name: ' ' }, { name: [expect.stringContaining('must not be blank')] }],
])('a schedule with %j is rejected, and stores nothing', async (change, errors) => {
  const { status, json } = await api.post('schedules', { ...SCHEDULE, ...change });
  expect([status, json.errors]).toEqual([422, errors]);
  expect(await Promise.all([api.count('schedules'), api.count('campaigns'), api.count('ads')])).toEqual([0, 0, 0]);
});

test('a request may be large and have unknown fields, up to a limit', async () => {
  const [entry] = REQUEST.screenshot_requests;
  const pages = (count: number) =>
    Array.from({ length: count }, (_, page) => ({
      site: { url: `https://news.example/${page}/${'x'.repeat(8_000)}` },
      device: { name: 'desktop' },
    }));
  const post = (screenshots: object[]) => {
    const request = { ...REQUEST, note: 'a\0b\ud800', screenshot_requests: [{ ...entry, screenshots }] };
    return api.post('schedules', { ...SCHEDULE, request });
  };
  const large = await post(pages(250));
  await run(await makeDue(large.json.id));
  expect((await read(large.json.id)).last_run.outcome).toBe('requested');
  const { status, json } = await post(pages(270));
  expect([status, json.errors]).toEqual([
    422,
    { 'request.screenshot_requests': [expect.stringContaining('too large to be repeated')] },
  ]);
  expect(await api.count('schedules')).toBe(1);
});

test('an organization has at most 50 schedules, and they go with their campaign', async () => {
  const id = await create();
  await sql`insert into schedules (id, organization_id, name, campaign_id, request, rule, time_zone, starts_at, ends_at, missed)
    select gen_random_uuid(), organization_id, name, campaign_id, request, rule, time_zone, starts_at, ends_at, missed
    from schedules, generate_series(2, 50)`.execute(api.store.db);
  const { status, json } = await api.post('schedules', SCHEDULE);
  expect([status, json.errors.name[0]]).toEqual([409, expect.stringContaining('one more than 50 schedules')]);
  const { campaign_id } = await read(id);
  expect((await api.remove(`campaigns/${campaign_id}`)).status).toBe(204);
  expect(await api.count('schedules')).toBe(0);
});

test('the queue wakes a schedule at its time', async () => {
  const id = await create();
  const real = await startQueue({ databaseUrl: api.databaseUrl, onError: () => undefined });
  await startSchedules({ ...context, db: api.store.db, queue: real });
  const entry = await makeDue(id, -1 / 30);
  await api.store.db
    .transaction()
    .execute((tx) => real.enqueue(tx, 'run_schedule', entry, { startAfter: new Date(entry.due_at) }));
  await eventually(async () => expect(await api.count('schedule_runs')).toBe(1));
  expect(await api.count('screenshot_sets')).toBe(1);
  const depth = await sql`select from pgboss.job where name = 'run_schedule' and state = 'created'`.execute(
    api.store.db,
  );
  expect(depth.rows).toHaveLength(1);
  await real.stop({ timeoutMs: 5_000 });
});
