import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnreachableError } from '../../../src/cluster/kubernetes/client/apiErrors.ts';
import { type ClusterConnection, connect } from '../../../src/cluster/kubernetes/client/connection.ts';
import { Elector, type ElectorOptions } from '../../../src/cluster/kubernetes/elector.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeClock, fakeClock } from '../../support/fakeClock.ts';
import {
  hangUp,
  json,
  type MisbehavingApiServer,
  misbehavingApiServer,
  refuse,
} from '../../support/misbehavingApiServer.ts';
import { TEST_LOG } from '../../support/testLog.ts';

// That leases are kept and taken over is held on a real API server; here it does what a real one does at its worst moments.
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/test/leases';
const PATH = `${LEASES}/leader`;

let server: MisbehavingApiServer;
let api: ClusterConnection;
let clock: FakeClock;
let elector: Elector | undefined;
let transitions: string[];
/** The Lease as the server has it. */
let lease:
  | { metadata: { name: string; resourceVersion: string; ownerReferences?: object[] }; spec: Record<string, unknown> }
  | undefined;

beforeEach(async () => {
  server = await misbehavingApiServer();
  clock = fakeClock();
  api = await connect({ kubeconfig: server.kubeconfig, clock });
  transitions = [];
  lease = undefined;
  server.on(`GET ${PATH}`, (asked, response) =>
    (lease === undefined ? refuse(404, 'NotFound') : json(200, lease))(asked, response),
  );
  server.on(`POST ${LEASES}`, (asked, response) => json(201, keep(asked.body))(asked, response));
  server.on(`PUT ${PATH}`, (asked, response) =>
    (isCurrent(asked.body) ? json(200, keep(asked.body)) : refuse(409, 'Conflict'))(asked, response),
  );
});
afterEach(async () => {
  await elector?.stop();
  elector = undefined;
  await api.close();
  await server.close();
});

type Body = NonNullable<typeof lease>;
const isCurrent = (body: unknown) => (body as Body).metadata.resourceVersion === lease?.metadata.resourceVersion;
function keep(body: unknown): Body {
  const { metadata, spec } = body as Body;
  const version = String(Number(lease?.metadata.resourceVersion ?? 0) + 1);
  lease = { metadata: { ...metadata, resourceVersion: version }, spec };
  return lease;
}
const heldBy = (holderIdentity: string, spec: object = {}) =>
  keep({ metadata: { name: 'leader' }, spec: { holderIdentity, leaseDurationSeconds: 15, ...spec } });

function compete(options: Partial<ElectorOptions> = {}): void {
  const connection = { connection: api, namespace: 'test', log: TEST_LOG, clock };
  elector = new Elector(connection, {
    ...{ identity: 'us', leaseName: 'leader' },
    onElected: () => transitions.push('elected'),
    onLost: () => transitions.push('lost'),
    ...options,
  });
}

const writes = () => server.asked.filter(({ method }) => method !== 'GET').length;
/** Moves on once it sleeps. */
async function pass(ms: number): Promise<void> {
  await eventually(() => expect(clock.sleepers).toBe(1));
  clock.advance(ms);
}
async function lead(): Promise<void> {
  compete();
  await eventually(() => expect(transitions).toEqual(['elected']));
}

test('a missing Lease is created', async () => {
  await lead();
  expect(lease?.spec).toMatchObject({ holderIdentity: 'us', leaseDurationSeconds: 15, leaseTransitions: 0 });
});

test('a Lease of another holder is taken after it has not changed for its duration on our own clock', async () => {
  // The other's clock is years behind: by its times the Lease is over.
  heldBy('them', { renewTime: '2001-01-01T00:00:00.000000Z', leaseTransitions: 4 });
  compete();
  for (let second = 2.2; second <= 15; second += 2.2) await pass(2_200);
  await eventually(() => expect(clock.sleepers).toBe(1));
  expect(writes()).toBe(0);
  await pass(2_200);
  await eventually(() => expect(transitions).toEqual(['elected']));
  expect(lease?.spec).toMatchObject({ holderIdentity: 'us', leaseTransitions: 5 });
});

test('a Lease that its holder renews is never taken, however wrong a clock is', async () => {
  heldBy('them');
  compete();
  for (let turn = 0; turn < 10; turn += 1) {
    await pass(10_000);
    heldBy('them', { renewTime: '2001-01-01T00:00:00.000000Z', turn });
  }
  await eventually(() => expect(clock.sleepers).toBe(1));
  expect(writes()).toBe(0);
});

test('a released Lease is taken at once', async () => {
  heldBy('');
  await lead();
});

test('a paused leader that wakes up writes nothing and loses leadership', async () => {
  await lead();
  await pass(2_200);
  await eventually(() => expect(writes()).toBe(2));
  // Ten minutes in which nothing of this process ran, and another one has led.
  await pass(600_000);
  await eventually(() => expect(transitions).toEqual(['elected', 'lost']));
  await elector?.stop();
  expect(writes()).toBe(2);
});

test('a leader that cannot renew loses leadership before another process may take over', async () => {
  await lead();
  const begun = clock.now();
  server.on(`PUT ${PATH}`, refuse(500, 'InternalError'));
  while (transitions.length < 2) {
    await eventually(() => expect(clock.sleepers + transitions.length).toBe(2));
    if (transitions.length < 2) clock.advance(200);
  }
  expect(transitions).toEqual(['elected', 'lost']);
  expect(clock.now() - begun).toBeLessThanOrEqual(10_000 + 200);
  await elector?.stop();
  // A Lease that is no longer ours is not released.
  expect(lease?.spec).toMatchObject({ holderIdentity: 'us' });
});

test('a renewal without an answer does not take longer than the leadership', async () => {
  const waits: number[] = [];
  let deadlineMs = 0;
  clock.skipSleeps();
  const options: ClusterConnection['options'] = (call) => {
    deadlineMs = call?.deadlineMs ?? Number.POSITIVE_INFINITY;
    return api.options(call);
  };
  // No update is answered. Each call takes until its deadline.
  const coordination: typeof api.apis.coordination = Object.create(api.apis.coordination);
  coordination.replaceNamespacedLease = async () => {
    waits.push(deadlineMs);
    clock.advance(deadlineMs);
    throw new UnreachableError(`no answer within ${deadlineMs / 1000} s`);
  };
  const muted = { apis: { ...api.apis, coordination }, options, microTime: () => api.microTime() };
  const connection = { connection: muted, namespace: 'test', log: TEST_LOG, clock };
  const lost = new Promise<string>((onLost) => {
    elector = new Elector(connection, {
      ...{ identity: 'us', leaseName: 'leader', leaseSeconds: 4, renewSeconds: 1, retrySeconds: 0.1 },
      onElected: () => transitions.push('elected'),
      onLost,
    });
  });
  expect(await lost).toContain('could not be renewed for 1 s');
  // The leadership of 1 s began before the pause of 0.11 s.
  expect(waits).toEqual([890]);
});

test('a leader that reads the name of another holder loses leadership', async () => {
  await lead();
  heldBy('them');
  await pass(2_200);
  await pass(2_200);
  await eventually(() => expect(transitions).toEqual(['elected', 'lost']));
  expect(lease?.spec).toMatchObject({ holderIdentity: 'them' });
});

test('a renewal whose answer is lost does not end leadership', async () => {
  await lead();
  server.next(`PUT ${PATH}`, (asked, response) => {
    keep(asked.body);
    return hangUp(asked, response);
  });
  await pass(2_200);
  await pass(2_200);
  await eventually(() => expect(server.asked.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(2));
  expect(transitions).toEqual(['elected']);
});

test('the leader creates a deleted Lease again', async () => {
  await lead();
  lease = undefined;
  server.next(`PUT ${PATH}`, refuse(404, 'NotFound'));
  await pass(2_200);
  await pass(2_200);
  await eventually(() => expect(lease?.spec).toMatchObject({ holderIdentity: 'us' }));
  expect(transitions).toEqual(['elected']);
});

test('a leader releases its Lease when it is stopped, and a candidate leaves the Lease unchanged', async () => {
  await lead();
  await elector?.stop();
  expect(lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  heldBy('them');
  const before = writes();
  compete();
  await eventually(() => expect(clock.sleepers).toBe(1));
  await elector?.stop();
  expect(writes()).toBe(before);
});

test('a former leader that is stopped does not release the Lease of the new holder', async () => {
  await lead();
  heldBy('them');
  await elector?.stop();
  expect(lease?.spec).toMatchObject({ holderIdentity: 'them' });
});

test('a leader that is stopped during a renewal still releases its Lease', async () => {
  await lead();
  server.next(`PUT ${PATH}`, (asked) => {
    // Done, but not said.
    keep(asked.body);
  });
  await pass(2_200);
  await eventually(() => expect(writes()).toBe(2));
  await elector?.stop();
  expect(lease?.spec).toMatchObject({ holderIdentity: '' });
  expect(transitions).toEqual(['elected']);
});

test('a candidate retries while the API server does not answer', async () => {
  server.next(`GET ${PATH}`, hangUp, hangUp, refuse(500, 'InternalError'));
  compete();
  await pass(2_200);
  await pass(2_200);
  await eventually(() => expect(transitions).toEqual(['elected']));
});

describe('a Lease with an owner', () => {
  const OWNER = '/api/v1/namespaces/test/configmaps/release';
  const withUid = (uid: string) => json(200, { metadata: { name: 'release', uid } });
  const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'release', uid });
  const other = { apiVersion: 'v1', kind: 'Secret', name: 'other', uid: '9' };
  async function leadOwned(): Promise<void> {
    compete({ leaseOwner: 'release' });
    await eventually(() => expect(transitions).toEqual(['elected']));
  }

  test('a new Lease belongs to the ConfigMap of the release', async () => {
    server.on(`GET ${OWNER}`, withUid('1'));
    await leadOwned();
    expect(lease?.metadata.ownerReferences).toEqual([owner('1')]);
  });

  test('a Lease that was deleted with its owner is created again with the new owner', async () => {
    server.on(`GET ${OWNER}`, withUid('1'));
    await leadOwned();
    server.on(`GET ${OWNER}`, withUid('2'));
    lease = undefined;
    server.on(`PUT ${PATH}`, refuse(404, 'NotFound'));
    for (let turn = 0; turn < 2; turn += 1) await pass(2_200);
    await eventually(() => expect(lease?.metadata.ownerReferences).toEqual([owner('2')]));
    expect(transitions).toEqual(['elected']);
  });

  test.each([
    ['the role does not allow to read it', refuse(403, 'Forbidden')],
    ['it does not exist', refuse(404, 'NotFound')],
  ])('a controller leads without an owner if %s', async (_, refusal) => {
    server.on(`GET ${OWNER}`, refusal);
    await leadOwned();
    expect(lease?.metadata.ownerReferences).toEqual([]);
  });

  test('an existing Lease keeps its owners', async () => {
    const references = { name: 'leader', ownerReferences: [other] };
    keep({ metadata: references, spec: { holderIdentity: '' } });
    await leadOwned();
    expect(lease?.metadata.ownerReferences).toEqual([other]);
  });
});
