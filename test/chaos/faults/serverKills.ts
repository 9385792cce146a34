/** Kills of the servers that the service uses: PostgreSQL and S3. They run on this machine with either target. */
import { kill } from '../../integration/dev/serviceFolders.ts';
import type { ChaosDatabase } from '../service/database.ts';
import type { ChaosS3 } from '../service/s3.ts';
import type { FaultContext } from './fault.ts';

interface Servers {
  readonly database: ChaosDatabase;
  readonly s3: ChaosS3 | undefined;
}

/** One session of the service. The parameter is a number from 0 to below 1. */
const SESSION = `select pid, application_name as name from pg_stat_activity
  where datname = 'tearsheet' and backend_type = 'client backend' and application_name <> 'chaos'
  order by abs(hashtext(pid::text || $1)) limit 1`;

interface Session {
  readonly pid: number;
  readonly name: string;
}

/** @returns undefined if PostgreSQL is down at this moment. */
async function onSession({ installation, random }: FaultContext<Servers>, sql: string): Promise<Session | undefined> {
  const rows = await installation.database.rowsNow<Session & object>(sql, [String(random.next())]).catch(() => []);
  return rows[0];
}

export async function endSession(context: FaultContext<Servers>): Promise<string | undefined> {
  const session = await onSession(context, `select pid, name, pg_terminate_backend(pid) from (${SESSION}) as session`);
  return session && `session ${session.pid} of ${session.name}`;
}

export async function killBackend(context: FaultContext<Servers>): Promise<string | undefined> {
  const session = await onSession(context, SESSION);
  if (session === undefined) return undefined;
  kill(session.pid);
  return `backend ${session.pid} of ${session.name}`;
}

export async function killPostmaster({
  installation: { database },
}: FaultContext<Servers>): Promise<string | undefined> {
  const { pid } = database;
  if (pid === undefined) return undefined;
  kill(pid);
  return `postmaster ${pid}`;
}

export async function killS3({ installation: { s3 } }: FaultContext<Servers>): Promise<string | undefined> {
  if (s3 === undefined) return undefined;
  const { pid } = s3.process;
  return s3.process.signal('SIGKILL') ? `S3 server ${pid}` : undefined;
}
