/** The disturbances of a run: each hinders the service for some seconds and ends. */
import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { sleep } from '../../../src/lib/sleep.ts';
import { eventually } from '../../support/eventually.ts';
import type { FaultContext, FaultKind } from './fault.ts';

export const DISTURBANCES: readonly FaultKind[] = [
  { name: 'leader paused', kind: 'disturbance', weight: 3, strike: pauseLeader },
  { name: 'leader paused while another one leads', kind: 'disturbance', weight: 2, strike: replacePausedLeader },
  { name: 'connections to PostgreSQL half open', kind: 'disturbance', weight: 3, strike: freezeDatabase },
  { name: 'connections to S3 half open', kind: 'disturbance', weight: 2, strike: freezeS3 },
  { name: 'connections between captures and API half open', kind: 'disturbance', weight: 2, strike: freezeInternalApi },
  { name: 'connections of PostgreSQL used up', kind: 'disturbance', weight: 3, strike: useUpConnections },
  { name: 'disk full', kind: 'disturbance', weight: 3, strike: fillDisk },
  { name: 'clock jumps of a process', kind: 'disturbance', weight: 3, strike: jumpClock },
];

const SECOND = 1_000;
/** The lease of a claim is 30 s, that of a delivery 20 s. */
const PAUSE_SECONDS = { least: 5, most: 35 };
const SUPERSEDED_MS = 120_000;

async function pauseLeader({ installation: { leader }, random }: FaultContext): Promise<string | undefined> {
  const seconds = random.between(PAUSE_SECONDS.least, PAUSE_SECONDS.most);
  if (!leader.signal('SIGSTOP')) return undefined;
  await sleep(seconds * SECOND);
  leader.signal('SIGCONT');
  return `${leader.name} for ${seconds} s`;
}

/** The old leader must notice that its epoch is over and exit by itself. */
async function replacePausedLeader({ installation, random }: FaultContext): Promise<string | undefined> {
  const { leader: old } = installation;
  if (!old.signal('SIGSTOP')) return undefined;
  const next = await installation.anotherController(`controller-${Date.now()}`);
  old.retire();
  next.start();
  installation.leader = next;
  const seconds = random.between(PAUSE_SECONDS.least, PAUSE_SECONDS.most);
  await sleep(seconds * SECOND);
  old.signal('SIGCONT');
  await eventually(() => {
    if (old.pid !== undefined) throw new Error(`${old.name} still runs although ${next.name} leads.`);
  }, SUPERSEDED_MS);
  return `${old.name} for ${seconds} s, ${next.name} leads`;
}

async function freezeDatabase({ installation: { database }, random }: FaultContext): Promise<string> {
  const seconds = random.between(3, 20);
  database.relay.freeze();
  await sleep(seconds * SECOND);
  database.relay.thaw();
  return `${seconds} s`;
}

async function freezeS3({ installation: { s3 }, random }: FaultContext): Promise<string | undefined> {
  if (s3 === undefined) return undefined;
  const seconds = random.between(3, 20);
  s3.relay.freeze();
  await sleep(seconds * SECOND);
  s3.relay.thaw();
  return `${seconds} s`;
}

async function freezeInternalApi({ installation: { relays }, random }: FaultContext): Promise<string> {
  const seconds = random.between(3, 20);
  relays[1]?.freeze();
  await sleep(seconds * SECOND);
  relays[1]?.thaw();
  return `${seconds} s`;
}

async function useUpConnections({ installation: { database }, random }: FaultContext): Promise<string> {
  const seconds = random.between(3, 12);
  const held: pg.Client[] = [];
  try {
    while (held.length < 100) {
      const client = new pg.Client({ connectionString: database.directUrl, application_name: 'chaos' });
      client.on('error', () => undefined);
      await client.connect();
      held.push(client);
    }
  } catch {
    // PostgreSQL has no further connection, which is the aim.
  }
  await sleep(seconds * SECOND);
  await Promise.all(held.map((client) => client.end().catch(() => undefined)));
  return `${held.length} connections for ${seconds} s`;
}

async function fillDisk({ installation: { pictures }, random }: FaultContext): Promise<string | undefined> {
  const free = pictures.fill?.();
  if (free === undefined) return undefined;
  const seconds = random.between(3, 12);
  await sleep(seconds * SECOND);
  free();
  return `${seconds} s`;
}

/** Only the clock of one process jumps. PostgreSQL keeps its own. */
async function jumpClock({ installation, random }: FaultContext): Promise<string | undefined> {
  const victim = random.pick([...installation.apis, installation.leader]);
  const minutes = random.pick([-60, -10, 10, 60]);
  writeFileSync(installation.clockFile, String(minutes * 60 * SECOND));
  if (!victim.signal('SIGUSR2')) return undefined;
  await sleep(random.between(5, 20) * SECOND);
  writeFileSync(installation.clockFile, '0');
  victim.signal('SIGUSR2');
  return `${victim.name} by ${minutes} min`;
}
