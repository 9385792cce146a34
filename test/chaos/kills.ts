/** The kills of a run: each ends a process with SIGKILL, or a session of PostgreSQL. */
import { sleep } from '../../src/lib/sleep.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { kill } from '../integration/dev/serviceFolders.ts';
import type { Random } from '../support/seededRandom.ts';
import type { Ledger } from './ledger.ts';
import type { Service, Supervised } from './service.ts';

interface KillContext {
  readonly service: Service;
  readonly random: Random;
}

/** @returns the name of the victim; undefined if there is nothing to hit at this moment. */
type Strike = (context: KillContext) => Promise<string | undefined>;

/** With how often each is chosen, in relation to the others. */
const KILLS: readonly (readonly [name: string, weight: number, strike: Strike])[] = [
  ['PostgreSQL session ended', 26, (context) => onSession(context, 'pg_terminate_backend(pid)')],
  ['PostgreSQL backend', 4, killBackend],
  ['PostgreSQL postmaster', 1, killPostmaster],
  ['API', 3, ({ service, random }) => killReady(random.pick(service.apis), random)],
  ['controller with its deliveries', 2, ({ service, random }) => killReady(service.controller, random)],
  ['capture program', 6, killAny('capture')],
  ['browser', 14, killAny('browser')],
  ['browser renderer', 18, killAny('renderer')],
  ['S3 server', 3, async ({ service: { s3 } }) => (s3?.process.signal('SIGKILL') === true ? 'S3 server' : undefined)],
];
/** Kills come in waves, because work that is always killed soon after its start never ends. */
const WAVE_MS = 15_000;
const CALM_MS = 12_000;
/** A kill that finds nothing to hit is replaced by another one, at most so often. */
const TRIES = 3;
const MOST_AT_ONCE = 6;
/** The share of kills that may meet a program that still starts. One that is killed at each start never answers. */
const STARTING = 0.2;

export interface KillOptions extends KillContext {
  readonly ledger: Ledger;
  readonly kills: number;
  readonly minutes: number;
}

/** Kills at random moments until the time or the number is reached. @returns the number of kills. */
export async function killParts(options: KillOptions): Promise<number> {
  const { random, kills, minutes } = options;
  const begin = performance.now();
  const pauseMs = (minutes * 60_000 * WAVE_MS) / (WAVE_MS + CALM_MS) / kills;
  const striking = new TaskGroup(MOST_AT_ONCE);
  let done = 0;
  while (done < kills && performance.now() < begin + minutes * 60_000) {
    // Random pauses, so that two kills may also come at almost the same moment.
    await sleep(-Math.log(1 - random.next()) * pauseMs);
    const inWave = (performance.now() - begin) % (WAVE_MS + CALM_MS);
    if (inWave > WAVE_MS) await sleep(WAVE_MS + CALM_MS - inWave);
    await striking.add(async () => {
      if (await strikeOnce(options)) done += 1;
    });
  }
  await striking.drain();
  return done;
}

async function strikeOnce(options: KillOptions): Promise<boolean> {
  const kinds = KILLS.flatMap((kind) => Array<(typeof KILLS)[number]>(kind[1]).fill(kind));
  for (let tries = 0; tries < TRIES; tries++) {
    const [what, , strike] = options.random.pick(kinds);
    const detail = await strike(options);
    if (detail === undefined) continue;
    options.ledger.add({ kind: 'kill', what, detail });
    return true;
  }
  return false;
}

/** @returns undefined if PostgreSQL is down at this moment. */
async function onSession({ service, random }: KillContext, action: string): Promise<string | undefined> {
  const session = `select pid, application_name as name from pg_stat_activity
    where datname = 'tearsheet' and backend_type = 'client backend' and application_name <> 'chaos'
    order by abs(hashtext(pid::text || '${random.next()}')) limit 1`;
  const sql = `select pid, name, ${action} from (${session}) as session`;
  const [found] = await service.database.query<{ pid: number; name: string }>(sql).catch(() => []);
  return found && `${found.pid} of ${found.name}`;
}

async function killBackend(context: KillContext): Promise<string | undefined> {
  const session = await onSession(context, 'true');
  if (session !== undefined) kill(Number.parseInt(session, 10));
  return session;
}

async function killPostmaster({ service: { database } }: KillContext): Promise<string | undefined> {
  const { pid } = database;
  if (pid === undefined) return undefined;
  kill(pid);
  return String(pid);
}

async function killReady(victim: Supervised, random: Random): Promise<string | undefined> {
  if (!victim.isReady && random.next() >= STARTING) return undefined;
  return victim.signal('SIGKILL') ? victim.name : undefined;
}

function killAny(wanted: 'capture' | 'browser' | 'renderer'): Strike {
  return async ({ service, random }) => {
    const found = service.processes().filter(({ kind }) => kind === wanted);
    if (found.length === 0) return undefined;
    const { pid } = random.pick(found);
    kill(pid);
    return String(pid);
  };
}
