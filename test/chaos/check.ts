/** Compares the ledger with what the service answers, stores and keeps as files. Each difference is a finding. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Client } from './client.ts';
import type { Acknowledged, Entry, Received } from './ledger.ts';
import type { Service } from './service.ts';

const SETS_OPEN = `status in ('draft', 'capturing')`;

/** Work that has not ended, one row for each. */
const OPEN_WORK = `
  select 'set ' || id || ' is ' || status as row from screenshot_sets where ${SETS_OPEN}
  union all select 'ad ' || id || ' is pending' from ads where status = 'pending' and source = 'create_ad'
  union all select 'job ' || id || ' is not settled' from screenshot_jobs where settled_at is null
  union all select 'delivery ' || id || ' is ' || status from deliveries where status <> 'delivered'
  union all select 'export ' || id || ' is ' || status from exports where status in ('pending', 'building')
  union all select 'queue entry ' || name || ' is ' || state || ' ' || coalesce(output::text, '') from pgboss.job
    where state in ('created', 'retry', 'active') and start_after < now() + interval '1 hour' or state = 'failed'`;

/** Rows that stand for a claim or a file that nothing ends any more, second sets of one key, and pictures that failed. */
const LEFTOVERS = `
  select 'the creative ' || c.ad_id || ' of a settled job has a claim' as row from job_creatives c
    join screenshot_jobs j on j.id = c.job_id
    where j.settled_at is not null and (c.claim_expires_at is not null or c.status = 'pending')
  union all select 'the uploaded picture ' || d.picture || ' was not reported' from declared_uploads d
    join screenshot_jobs j on j.id = d.job_id where j.settled_at is not null
  union all select 'upload ' || id || ' is incomplete' from uploads where sha256 is null
  union all select 'the file ' || key || ' was not removed' from removed_files
  union all select 'the key ' || key || ' has no answer' from idempotency_keys where response is null and status_code is null
  union all select count(*) || ' sets of the request ' || c.name from screenshot_sets s
    join campaigns c on c.id = s.campaign_id group by c.name having count(*) > 1
  union all select count(*) || ' ads of the request ' || c.name from ads a
    join campaigns c on c.id = a.campaign_id where a.source = 'create_ad' group by c.name having count(*) > 1
  union all select 'picture ' || id || ' failed: ' || reason from screenshots
    where status not in ('uploaded', 'canceled', 'pending') and reason !~ '(3|three) (browsers|times)|ended several times'
  union all select 'ad ' || id || ' failed: ' || reason from ads a
    where status not in ('uploaded', 'pending') and reason !~ '(3|three) (browsers|times)|ended several times'
      and not exists (select from screenshots s where s.ad_id = a.id and s.status = 'canceled')`;

/** The keys of all files that a row names. */
const FILES = `select artifact_key as key from images
  union all select artifact_key from exports where status = 'ready' and artifact_key is not null
  union all select 'uploads/' || id from uploads where sha256 is not null`;

const EVENTS = `select 'evt_' || e.id as id, e.topic, encode(sha256(convert_to(e.body, 'UTF8')), 'hex') as digest
  from events e where exists (select from deliveries d where d.event_id = e.id and d.channel = 'webhook')`;

/** An hour passes for files that are removed some time after their upload broke off or their capture ended. */
export const AN_HOUR_LATER = [
  'update uploads set expires_at = now() where sha256 is null',
  "update screenshot_jobs set settled_at = settled_at - interval '1 hour' where settled_at is not null",
  'update removed_files set due_at = now()',
];
/** A retry that waits for minutes is due now, so that a run need not wait for it. */
const HURRY = `update deliveries set next_attempt_at = now()
  where status = 'pending' and next_attempt_at > now() + interval '25 seconds'`;

type Checked = Pick<Service, 'database' | 'pictures'>;

const rowsOf = async ({ database }: Pick<Checked, 'database'>, sql: string) =>
  (await database.rows<{ row: string }>(sql)).map(({ row }) => row);

/** @returns the work that has not ended. */
export async function findOpenWork(service: Checked): Promise<string[]> {
  await service.database.rows(HURRY);
  return rowsOf(service, OPEN_WORK);
}

/** Call it when there is no open work. */
export async function findLosses(service: Checked, client: Client, entries: readonly Entry[]): Promise<string[]> {
  const received = entries.filter((entry) => entry.kind === 'webhook');
  const events = await service.database.rows<StoredEvent & object>(EVENTS);
  const promises = await readPromises(client, entries);
  return [
    ...promises.flatMap((one) => faultOf(one, promises) ?? []),
    ...eventFindings(received, events, promises),
    ...(await rowsOf(service, LEFTOVERS)),
    ...(await fileFindings(service)),
  ];
}

/** A promise, and what the service says about its object now. */
export interface KeptPromise {
  readonly promise: Acknowledged;
  /** Undefined if it does not exist. */
  readonly found: FoundObject | undefined;
}

interface FoundObject {
  readonly status?: string;
  readonly screenshots?: readonly unknown[];
  readonly review?: { readonly comment: string | null } | null;
}

const PLACES: Readonly<Record<Acknowledged['operation'], string>> = {
  ...{ request: 'screenshot_sets', cancel: 'screenshot_sets', delete: 'screenshot_sets' },
  ...{ ad: 'ads', upload: 'uploads', review: 'screenshots', export: 'exports' },
};

async function readPromises(client: Client, entries: readonly Entry[]): Promise<KeptPromise[]> {
  const kept: KeptPromise[] = [];
  for (const promise of entries) {
    if (promise.kind !== 'acknowledged') continue;
    const { status, text } = await client.call({ method: 'GET', path: `/${PLACES[promise.operation]}/${promise.id}` });
    kept.push({ promise, found: status === 200 ? (JSON.parse(text) as FoundObject) : undefined });
  }
  return kept;
}

/** @returns why the promise is not kept; undefined if it is. */
export function faultOf({ promise, found }: KeptPromise, all: readonly KeptPromise[]): string | undefined {
  const { operation, id, about = '', screenshots } = promise;
  const isDeleted = all.some(({ promise: one }) => one.operation === 'delete' && (one.id === id || one.id === about));
  const fault = (text: string) => `${operation} ${id}: ${text}`;
  if (operation === 'delete') return found === undefined ? undefined : fault('it was not deleted');
  if (isDeleted) return undefined;
  if (found === undefined) return fault('it does not exist');
  switch (operation) {
    case 'request':
      return found.screenshots?.length === screenshots
        ? undefined
        : fault(`it has ${found.screenshots?.length} screenshots`);
    case 'review':
      return found.review?.comment === about ? undefined : fault('the review does not exist');
    case 'export':
      return found.status === 'ready' ? undefined : fault(`it is ${found.status}`);
    default:
      return undefined;
  }
}

interface StoredEvent {
  readonly id: string;
  readonly topic: string;
  readonly digest: string;
}

/** Each event arrives with one content. The end of a set or an ad is one event, whatever the table of events says. */
export function eventFindings(
  received: readonly Received[],
  stored: readonly StoredEvent[],
  promises: readonly KeptPromise[],
): string[] {
  const digests = Map.groupBy(received, ({ event, digest }) => `${event} ${digest}`);
  const contents = Map.groupBy(
    [...digests.values()].flatMap(([one]) => one ?? []),
    ({ event }) => event,
  );
  const ends = Map.groupBy(
    [...contents.values()].flatMap(([one]) => one ?? []),
    ({ topic, object }) => `${topic} ${object}`,
  );
  const expected = promises.flatMap(({ promise: { operation, id }, found }) => {
    if (operation === 'request' && (found?.status === 'approved' || found?.status === 'failed'))
      return [`screenshot_set.${found.status} ${id}`];
    if (operation !== 'ad' || found === undefined) return [];
    return [`${found.status === 'uploaded' ? 'ad.uploaded' : 'ad.failed'} ${id}`];
  });
  return [
    ...stored
      .filter(({ id, digest }) => !digests.has(`${id} ${digest}`))
      .map(({ id, topic }) => `${id} (${topic}) did not arrive`),
    ...[...contents].filter(([, bodies]) => bodies.length > 1).map(([id]) => `${id} arrived with two contents`),
    ...[...ends].filter(([, events]) => events.length > 1).map(([end]) => `${end} arrived as two events`),
    ...expected.filter((end) => !ends.has(end)).map((end) => `${end} did not arrive`),
  ];
}

async function fileFindings({ database, pictures }: Checked): Promise<string[]> {
  const named = new Set((await database.rows<{ key: string }>(FILES)).map(({ key }) => key));
  const files = readdirSync(pictures, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(pictures, path.join(entry.parentPath, entry.name)))
    // An API stores this file to see that the store accepts files.
    .filter((file) => !file.endsWith('health/check.txt'));
  const present = new Set(files);
  return [
    ...files.filter((file) => !named.has(file)).map((file) => `file ${file} has no row`),
    ...[...named].filter((key) => !present.has(key)).map((key) => `the file ${key} of a row is missing`),
  ];
}
