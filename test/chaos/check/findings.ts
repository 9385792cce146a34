/** Compares the ledger with the state of the service. Each promise that was not kept becomes a finding. */
import type { Acknowledged, Received, TimedEntry } from '../ledger.ts';
import type { FailedPicture, ServiceState } from './state.ts';

export const FINDING_KINDS = [
  'lost',
  'duplicate',
  'unended',
  'event missing',
  'event twice',
  'event changed',
  'failed',
  'left behind',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly text: string;
}

/** A capture must end so often before its pictures fail. */
const LOST_CAPTURES = 3;
const FINAL_TOPICS: readonly string[] = [
  'screenshot_set.approved',
  'screenshot_set.failed',
  'ad.uploaded',
  'ad.failed',
];

export function findLosses(entries: readonly TimedEntry[], state: ServiceState): Finding[] {
  const acknowledged = entries.filter((entry): entry is Acknowledged & TimedEntry => entry.kind === 'acknowledged');
  const received = entries.filter((entry): entry is Received & TimedEntry => entry.kind === 'webhook');
  return [
    ...lostPromises(acknowledged, state),
    ...duplicates(acknowledged, state),
    ...unended(state),
    ...eventFindings(received, state),
    ...expectedEvents(received, acknowledged, state),
    ...failedEarly(entries, state),
    ...leftBehind(state),
  ];
}

function lostPromises(acknowledged: readonly Acknowledged[], state: ServiceState): Finding[] {
  return acknowledged.flatMap((promise) => {
    const fault = faultOf(promise, acknowledged, state);
    return fault === undefined
      ? []
      : [{ kind: 'lost', text: `${promise.operation} ${promise.id} (${promise.key}): ${fault}` } as const];
  });
}

/** @returns why the promise is not kept; undefined if it is. */
function faultOf(promise: Acknowledged, all: readonly Acknowledged[], state: ServiceState): string | undefined {
  const { operation, id } = promise;
  const set = state.sets.find((one) => one.id === id);
  switch (operation) {
    case 'request':
      if (set === undefined) return isDeleted(id, all) ? undefined : 'the set does not exist';
      return set.screenshots === promise.screenshots ? undefined : `it has ${set.screenshots} screenshots`;
    case 'ad':
      return state.ads.some((ad) => ad.id === id) ? undefined : 'the ad does not exist';
    case 'upload':
      return state.uploads.includes(id) ? undefined : 'the upload does not exist';
    case 'cancel':
      return set !== undefined && set.status !== 'draft' && set.status !== 'capturing'
        ? undefined
        : `the set is ${set?.status ?? 'missing'}`;
    case 'delete':
      return set === undefined ? undefined : 'the set is not removed';
    case 'review':
      return state.reviewed.some(({ screenshot, comment }) => screenshot === id && comment === promise.key)
        ? undefined
        : 'the review does not exist';
    case 'export': {
      const found = state.exports.find((one) => one.id === id);
      if (found === undefined) return 'the export does not exist';
      return found.status === 'ready' ? undefined : `the export is ${found.status}`;
    }
  }
}

const isDeleted = (set: string, all: readonly Acknowledged[]) =>
  all.some(({ operation, id }) => operation === 'delete' && id === set);

/** One key makes one set or one ad, however often the request was repeated. */
function duplicates(acknowledged: readonly Acknowledged[], { sets, ads }: ServiceState): Finding[] {
  return acknowledged.flatMap(({ operation, key, id }) => {
    const rows = operation === 'request' ? sets : operation === 'ad' ? ads : [];
    const others = rows.filter((row) => row.key === key && row.id !== id);
    return others.map((other) => ({ kind: 'duplicate', text: `${operation} ${key}: ${id} and ${other.id}` }) as const);
  });
}

function unended({ sets, ads }: ServiceState): Finding[] {
  const open = sets.filter(({ status, pending }) => status === 'draft' || status === 'capturing' || pending > 0);
  return [
    ...open.map(({ id, status, pending }) => `set ${id} is ${status} with ${pending} pending screenshots`),
    ...ads.filter(({ status }) => status === 'pending').map(({ id }) => `ad ${id} is pending`),
  ].map((text) => ({ kind: 'unended', text }) as const);
}

/** An event has one id and one content, and arrives. */
function eventFindings(received: readonly Received[], { events, undelivered }: ServiceState): Finding[] {
  const findings: Finding[] = [];
  const idOf = new Map<string, string>();
  const digestOf = new Map<string, string>();
  for (const { event, topic, object, digest } of received) {
    const about = `${topic} ${object}`;
    const known = digestOf.get(event);
    if (known !== undefined && known !== digest)
      findings.push({ kind: 'event changed', text: `${event} (${about}) arrived with two contents` });
    digestOf.set(event, digest);
    if (!FINAL_TOPICS.includes(topic)) continue;
    const first = idOf.get(about) ?? event;
    if (first !== event) findings.push({ kind: 'event twice', text: `${about} arrived as ${first} and as ${event}` });
    idOf.set(about, first);
  }
  for (const { id, topic, object, digest, webhooks } of events) {
    if (webhooks === 0) continue;
    const arrived = digestOf.get(id);
    if (arrived === undefined)
      findings.push({ kind: 'event missing', text: `${id} (${topic} ${object}) did not arrive` });
    else if (arrived !== digest)
      findings.push({ kind: 'event changed', text: `${id} (${topic} ${object}) arrived with another content` });
  }
  for (const { id, status, reason } of undelivered)
    findings.push({ kind: 'event missing', text: `delivery ${id} is ${status}: ${reason ?? 'no reason'}` });
  return findings;
}

/** The end of a set and of an ad must arrive, whatever the table of events says. */
function expectedEvents(
  received: readonly Received[],
  acknowledged: readonly Acknowledged[],
  { sets, ads }: ServiceState,
): Finding[] {
  const arrived = new Set(received.map(({ topic, object }) => `${topic} ${object}`));
  const promised = new Set(acknowledged.map(({ id }) => id));
  const expected = [
    ...sets
      .filter(({ status }) => status === 'approved' || status === 'failed')
      .map(({ id, status }) => ({ id, about: `screenshot_set.${status} ${id}` })),
    ...ads
      .filter(({ status }) => status !== 'pending')
      .map(({ id, status }) => ({ id, about: `${status === 'uploaded' ? 'ad.uploaded' : 'ad.failed'} ${id}` })),
  ];
  return expected
    .filter(({ id, about }) => promised.has(id) && !arrived.has(about))
    .map(({ about }) => ({ kind: 'event missing', text: `${about} did not arrive` }) as const);
}

/** All creatives and pages of a run work, so a picture may only fail after three crashes in three browsers. */
function failedEarly(entries: readonly TimedEntry[], { failed }: ServiceState): Finding[] {
  return failed
    .filter((picture) => !(isThreeCrashes(picture) && hadThreeKills(picture, entries)))
    .map(({ id, status, reason, attempts }) => ({
      kind: 'failed',
      text: `${id} is ${status} after ${attempts} attempts: ${reason}`,
    }));
}

const THREE_BROWSERS = /(3|three) browsers/;

/** If the reason names three browsers, the run must have killed at least as many since the request. */
function hadThreeKills({ reason, requested }: FailedPicture, entries: readonly TimedEntry[]): boolean {
  const kills = entries.filter(
    ({ at, ...entry }) => at >= requested && entry.kind === 'kill' && /browser/.test(entry.what),
  );
  return !THREE_BROWSERS.test(reason) || kills.length >= LOST_CAPTURES;
}

/** The service counts crashes of a browser in one capture, lost claims of a creative, and captures that ended. */
function isThreeCrashes({ reason, attempts }: FailedPicture): boolean {
  if (THREE_BROWSERS.test(reason) || /(3|three) times/.test(reason)) return true;
  return /ended several times/.test(reason) && attempts >= LOST_CAPTURES;
}

function leftBehind(state: ServiceState): Finding[] {
  return [
    ...state.leftoverRows.map((row) => `row ${row}`),
    ...state.filesWithoutRow.map((file) => `file ${file} has no row`),
    ...state.rowsWithoutFile.map((file) => `the file ${file} of a row is missing`),
    ...state.processes.map((one) => `process ${one}`),
    ...state.temporary.map((file) => `temporary file ${file}`),
  ].map((text) => ({ kind: 'left behind', text }) as const);
}
