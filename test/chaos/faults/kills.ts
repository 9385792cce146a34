/** The kills of a run: each ends a process with SIGKILL, or a session of PostgreSQL. */
import { kill } from '../../integration/dev/serviceFolders.ts';
import { type ProcessKind, ProcessSearch } from '../service/processes.ts';
import type { FaultContext, FaultKind } from './fault.ts';

export const KILLS: readonly FaultKind[] = [
  { name: 'PostgreSQL session ended', kind: 'kill', weight: 26, strike: endSession },
  { name: 'PostgreSQL backend', kind: 'kill', weight: 4, strike: killBackend },
  { name: 'PostgreSQL postmaster', kind: 'kill', weight: 1, strike: killPostmaster },
  { name: 'API', kind: 'kill', weight: 3, strike: killApi },
  { name: 'leader with its deliveries', kind: 'kill', weight: 2, strike: killLeader },
  { name: 'capture program', kind: 'kill', weight: 6, strike: killAny('capture') },
  { name: 'browser', kind: 'kill', weight: 14, strike: killAny('browser') },
  { name: 'browser renderer', kind: 'kill', weight: 18, strike: killAny('renderer') },
  { name: 'S3 server', kind: 'kill', weight: 3, strike: killS3 },
];

/** One session of the service. The parameter is a number from 0 to below 1. */
const SESSION = `select pid, application_name as name from pg_stat_activity
  where datname = 'tearsheet' and backend_type = 'client backend' and application_name <> 'chaos'
  order by abs(hashtext(pid::text || $1)) limit 1`;

interface Session {
  readonly pid: number;
  readonly name: string;
}

/** @returns undefined if PostgreSQL is down at this moment. */
async function onSession({ installation, random }: FaultContext, sql: string): Promise<Session | undefined> {
  const rows = await installation.database.rowsNow<Session & object>(sql, [String(random.next())]).catch(() => []);
  return rows[0];
}

async function endSession(context: FaultContext): Promise<string | undefined> {
  const session = await onSession(context, `select pid, name, pg_terminate_backend(pid) from (${SESSION}) as session`);
  return session && `session ${session.pid} of ${session.name}`;
}

async function killBackend(context: FaultContext): Promise<string | undefined> {
  const session = await onSession(context, SESSION);
  if (session === undefined) return undefined;
  kill(session.pid);
  return `backend ${session.pid} of ${session.name}`;
}

async function killPostmaster({ installation: { database } }: FaultContext): Promise<string | undefined> {
  const { pid } = database;
  if (pid === undefined) return undefined;
  kill(pid);
  return `postmaster ${pid}`;
}

async function killApi({ installation, random }: FaultContext): Promise<string | undefined> {
  const api = random.pick(installation.apis);
  const { pid } = api;
  return api.signal('SIGKILL') ? `${api.name} ${pid}` : undefined;
}

async function killLeader({ installation: { leader } }: FaultContext): Promise<string | undefined> {
  const { pid } = leader;
  return leader.signal('SIGKILL') ? `${leader.name} ${pid}` : undefined;
}

async function killS3({ installation: { s3 } }: FaultContext): Promise<string | undefined> {
  if (s3 === undefined) return undefined;
  const { pid } = s3.process;
  return s3.process.signal('SIGKILL') ? `S3 server ${pid}` : undefined;
}

const search = new ProcessSearch();

function killAny(wanted: ProcessKind): FaultKind['strike'] {
  return async ({ installation, random }) => {
    const found = search.find(installation.root).filter(({ kind }) => kind === wanted);
    if (found.length === 0) return undefined;
    const { pid } = random.pick(found);
    kill(pid);
    return `${wanted} ${pid}`;
  };
}
