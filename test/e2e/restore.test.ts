/** docs/operations.md, Back up: what comes of requests when the database goes back to an earlier state. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type ExternalDatabase, externalDatabase } from './support/database.ts';
import { Trial } from './support/trial.ts';

const APPROVED = 'screenshot_set.approved';
const PODS = 'app.kubernetes.io/name=tearsheet,app.kubernetes.io/component in (api,controller)';

const trial = new Trial();
let database: ExternalDatabase;

beforeAll(async () => {
  database = await externalDatabase();
  await trial.begin('restore', { trial: { postgres: { enabled: false } }, database: { url: database.url } });
});
afterAll(async () => {
  await trial.end();
  await database?.close();
});

const scale = (replicas: number) =>
  trial.installation.kubectl([
    'scale',
    'deployment',
    't-tearsheet-api',
    't-tearsheet-controller',
    `--replicas=${replicas}`,
  ]);

const told = (set: string) => trial.world.receiver.accepted(APPROVED, set);

/** In the words of the page. */
async function restore(): Promise<void> {
  await scale(0);
  await trial.installation.kubectl(['wait', '--for=delete', 'pod', '-l', PODS, '--timeout=100s'], {
    timeoutMs: 110_000,
  });
  await database.restore();
  await scale(1);
  await trial.installation.ready();
}

test('after a restore open sets go on, open deliveries are repeated under their id, and what came later is forgotten', async () => {
  const { receiver, gates } = trial.world;
  const open = await trial.held('open');
  receiver.mode = 'refuses';
  const untold = await trial.ask('Untold');
  await receiver.asked(APPROVED, untold);
  await database.backUp();

  receiver.mode = 'accepts';
  gates.open('open');
  await trial.approved(open);
  await trial.approved(untold);
  const lost = await trial.ask('Lost');
  await trial.approved(lost);

  await restore();
  await eventually(() => expect(told(untold)).toHaveLength(2), 60_000);
  expect(new Set(told(untold)).size).toBe(1);
  await trial.ends(open, 'approved');
  await eventually(() => expect(new Set(told(open)).size).toBe(2), 60_000);
  await expect(trial.installation.call('GET', `/screenshot_sets/${lost}`)).rejects.toThrow('404');

  // It waits for the two minutes in which its row might be on its way, and shows `UnknownSet` then; nobody has taken it away.
  const jobs = await trial.installation.jobs();
  expect(jobs.map(({ spec }) => spec.set)).toContain(lost);
});
