/** The target `dev`: the service as separate processes on this machine. */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../../src/lib/sleep.ts';
import { kill } from '../../integration/dev/serviceFolders.ts';
import { filesIn, readState } from '../check/readState.ts';
import type { ServiceState } from '../check/state.ts';
import { DISTURBANCES } from '../faults/disturbances.ts';
import { KILLS } from '../faults/kills.ts';
import { runFaults } from '../faults/schedule.ts';
import type { ChaosTarget } from '../target.ts';
import { type Installation, startInstallation } from './installation.ts';
import { findProcesses } from './processes.ts';

const MAX_OPEN = 10;
const FAULTS = { kills: KILLS, disturbances: DISTURBANCES, waves: { kills: 15_000, calm: 12_000 } };
/** Processes that end by themselves have this time to do so. */
const PROCESSES_END_MS = 30_000;

export async function startTarget(log: (line: string) => void): Promise<ChaosTarget> {
  log('starting PostgreSQL, an S3 server, two APIs and a controller …');
  const installation = await startInstallation();
  log(`their files are in ${installation.root}`);
  const { publicUrl, organization, database, s3, customerBucket } = installation;
  return {
    ...{ publicUrl, organization, database, s3, customerBucket, maxOpen: MAX_OPEN },
    runFaults: ({ random, ledger, ...options }) => runFaults({ installation, random, ledger }, FAULTS, options),
    restartApis: async () => {
      for (const api of installation.apis) api.signal('SIGTERM');
    },
    stopAndRead: () => stopAndRead(installation, log),
    remove: (everything) => removeInstallation(installation, everything),
  };
}

async function stopAndRead(installation: Installation, log: (line: string) => void): Promise<ServiceState> {
  const { leader, apis, temporary, pictures, database } = installation;
  await Promise.all([leader, ...apis].map((one) => one.stop()));
  const processes = await processesLeft(installation.root);
  const state = await readState(database, {
    files: filesIn(pictures.folder),
    processes: processes.map(({ kind, command }) => `${kind}: ${command.slice(0, 200)}`),
    temporary: existsSync(temporary) ? readdirSync(temporary).filter((name) => name.startsWith('tearsheet')) : [],
  });
  for (const { pid } of processes) kill(pid);
  await installation.stop();
  log('stopped');
  return state;
}

async function processesLeft(root: string) {
  const left = () => findProcesses(root).filter(({ kind }) => kind !== 'postgres' && kind !== 's3');
  for (const end = performance.now() + PROCESSES_END_MS; performance.now() < end && left().length > 0; )
    await sleep(500);
  return left();
}

/** The logs stay if something was found. */
async function removeInstallation({ root, pictures }: Installation, everything: boolean): Promise<void> {
  await pictures.remove();
  const data = path.join(root, 'postgres');
  if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true, maxRetries: 5 });
  if (everything) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  else
    for (const name of readdirSync(root))
      if (!name.endsWith('.log')) rmSync(path.join(root, name), { recursive: true, force: true });
}
