/** docs/operations.md, Back up: the fate of requests when the database returns to an earlier state. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { required } from '../support/required.ts';
import { keepConsole } from './support/commands.ts';
import { type ExternalDatabase, externalDatabase } from './support/database.ts';
import { E2eContext, PATIENT } from './support/e2eContext.ts';
import { type OutsideServers, startOutsideServers } from './support/outsideServers.ts';

const APPROVED = 'screenshot_set.approved';
const PODS = 'app.kubernetes.io/name=tearsheet,app.kubernetes.io/component in (api,controller)';

const e2e = new E2eContext();
let database: ExternalDatabase;
let outside: OutsideServers;

beforeAll(async () => {
  [database, outside] = await Promise.all([externalDatabase(), startOutsideServers()]);
  const trial = { postgres: { enabled: false } };
  await e2e.start('restore', { trial, database: { url: database.url }, settings: PATIENT });
  // The objects that the values name need the namespace.
  for (const object of outside.objects) await e2e.installation.kubectl(['create', ...object]);
  await e2e.installation.upgrade(outside.values);
});
afterAll(async () => {
  await e2e.close();
  await Promise.all([database?.close(), outside?.close()]);
});

/** Runs the step that the page names after a restore. */
async function checkFiles(component: 'api' | 'controller'): Promise<string> {
  const command = ['tearsheet', 'check', '--files'];
  // A controller may not create pods itself, so it cannot try them.
  if (component === 'controller') command.push('--without-pods');
  const target = ['exec', `deploy/t-tearsheet-${component}`, '-c', component, '--', ...command];
  const { code, stdout, stderr } = await e2e.installation.tryKubectl(target, { timeoutMs: 120_000 });
  keepConsole(`check-files-${component}`, `$ kubectl ${target.join(' ')}\n${stdout}${stderr}`);
  return `${stdout}exit ${code}`;
}

const scale = (replicas: number) =>
  e2e.installation.kubectl([
    'scale',
    'deployment',
    't-tearsheet-api',
    't-tearsheet-controller',
    `--replicas=${replicas}`,
  ]);

const acceptedEvents = (set: string) => e2e.servers.receiver.accepted(APPROVED, set);

/** In the words of the page. */
async function restore(): Promise<void> {
  await scale(0);
  await e2e.installation.kubectl(['wait', '--for=delete', 'pod', '-l', PODS, '--timeout=220s'], {
    timeoutMs: 240_000,
  });
  await database.restore();
  await scale(1);
  await e2e.installation.waitUntilReady();
}

test('after a restore, open sets continue, open deliveries keep their id, and later requests are lost', async () => {
  const { receiver, requestGate } = e2e.servers;
  const open = await e2e.requestSetOfHeldPage('open');
  receiver.mode = 'refuses';
  const undelivered = await e2e.requestSet('Undelivered');
  await receiver.asked(APPROVED, undelivered);
  await database.backUp();
  const [picture] = (await e2e.installation.pictures()).filter((key) => key.includes('/screenshots/'));

  receiver.mode = 'accepts';
  requestGate.release('open');
  await e2e.expectApproved(open);
  await e2e.expectApproved(undelivered);
  const lost = await e2e.requestSet('Lost');
  await e2e.expectApproved(lost);

  await restore();
  await eventually(() => expect(acceptedEvents(undelivered)).toHaveLength(2));
  expect(new Set(acceptedEvents(undelivered)).size).toBe(1);
  await e2e.waitForSetStatus(open, 'approved');
  await eventually(() => expect(new Set(acceptedEvents(open)).size).toBe(2));
  await expect(e2e.installation.call('GET', `/screenshot_sets/${lost}`)).rejects.toThrow('404');

  for (const component of ['api', 'controller'] as const)
    expect(await checkFiles(component)).toMatch(/^files: 0 of [1-9]\d* are missing\nexit 0$/m);
  await e2e.installation.removePicture(required(picture));
  expect(await checkFiles('api')).toMatch(/^missing: .*\nfiles: 1 of \d+ are missing\nexit 1$/m);

  // It waits for the two minutes in which its row might be on its way, and shows `UnknownSet` then; nobody has taken it away.
  const jobs = await e2e.installation.jobs();
  expect(jobs.map(({ spec }) => spec.set)).toContain(lost);
});
