/** The kills of a run: each ends a process with SIGKILL, or a session of PostgreSQL. */
import { connect } from 'node:net';
import { kill } from '../../integration/dev/serviceFolders.ts';
import { type ProcessKind, ProcessSearch } from '../service/processes.ts';
import type { FaultContext, FaultKind } from './fault.ts';
import { endSession, killBackend, killPostmaster, killS3 } from './serverKills.ts';

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

/** The share of kills that may meet an API that still starts. One that is killed at each start never answers. */
const STARTING_API = 0.2;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function killApi({ installation, random }: FaultContext): Promise<string | undefined> {
  const api = random.pick(installation.apis);
  const { pid } = api;
  const port = installation.apiPorts[installation.apis.indexOf(api)] ?? 0;
  if (random.next() >= STARTING_API && !(await accepts(port))) return undefined;
  return api.signal('SIGKILL') ? `${api.name} ${pid}` : undefined;
}

async function killLeader({ installation: { leader } }: FaultContext): Promise<string | undefined> {
  const { pid } = leader;
  return leader.signal('SIGKILL') ? `${leader.name} ${pid}` : undefined;
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
