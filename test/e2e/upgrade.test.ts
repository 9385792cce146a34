import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/commands.ts';
import { E2eContext } from './support/e2eContext.ts';
import { nextTag } from './support/environment.ts';
import { type ScreenshotSet, screenshotRequest } from './support/externalServers.ts';
import { LAST_CHART } from './support/helmInstallation.ts';
import { type SharedPostgres, sharedPostgres } from './support/sharedPostgres.ts';

const e2e = new E2eContext();
let postgres: SharedPostgres;

beforeAll(async () => {
  postgres = await sharedPostgres();
  const settings = { NAVIGATION_TIMEOUT_MS: '300000' };
  const values = { ...postgres.values, settings, api: { replicas: 2 }, controller: { replicas: 2 } };
  // Only the chart is old: the image of the version before cannot be built again, so that of now has two names.
  await e2e.start('upgrade', values, undefined, LAST_CHART);
});
afterAll(async () => {
  await e2e.close();
  await postgres?.close();
});

interface Pod {
  readonly metadata: { readonly annotations?: Record<string, string>; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

const table = () => e2e.installation.kubectl(['get', 'pods']);

/** For each running pod of API and controller that is not being deleted: whether it has been upgraded. */
async function upgradedPods(): Promise<boolean[]> {
  const pods = await e2e.installation.list<Pod>('pods', 'app.kubernetes.io/component in (api,controller)');
  return pods
    .filter(({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.annotations?.['upgraded'] === 'true');
}

/** Holds a set at its page as long as an upgrade takes. A held creative would fail after 30 s. */
async function held(gate: string): Promise<string> {
  const { requestGate, publishers } = e2e.servers;
  requestGate.hold(gate);
  const site = requestGate.urlFor(gate, publishers.urlByPath('news'));
  const asked = screenshotRequest(e2e.servers, { campaign: 'Held', pages: [], sites: [site] });
  const { id } = await e2e.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  await requestGate.waitForRequest(gate);
  return id;
}

/** Asks for one set after the other, each once the one before is approved. @returns a function that stops it, and says how many were. */
function keepAsking(): () => Promise<number> {
  let isDone = false;
  const asking = (async () => {
    for (let count = 0; ; count++) {
      if (isDone && count > 1) return count;
      await e2e.expectApproved(await e2e.requestSet(`Meanwhile ${count}`));
    }
  })();
  // The caller of the function below gets the error.
  asking.catch(() => undefined);
  return () => {
    isDone = true;
    return asking;
  };
}

describe('an upgrade while sets are captured', () => {
  it('an upgrade from the last chart loses no running set and rejects no request', async () => {
    const early = await held('held');
    const before = await table();
    const stopAsking = keepAsking();
    const upgraded = e2e.installation.upgrade({
      image: { tag: nextTag() },
      pods: { annotations: { upgraded: 'true' } },
    });
    // In the midst of it: the captured set began with the old ones, and ends with both there.
    const midst = eventually(
      async () => expect(new Set(await upgradedPods())).toEqual(new Set([true, false])),
      240_000,
    );
    await Promise.all([midst.then(() => e2e.servers.requestGate.release('held')), upgraded]);
    // This throws if a request was rejected or did not succeed.
    await stopAsking();
    keepConsole(
      'upgrade',
      `$ kubectl get pods\n${before}\n$ helm upgrade t charts/tearsheet --set image.tag=${nextTag()} --wait\n$ kubectl get pods\n${await table()}`,
    );

    await e2e.expectApproved(early);
    // Old ones take their time to end.
    await eventually(async () => {
      const pods = ['get', 'pods', '-l', 'app.kubernetes.io/component in (api,controller)'];
      const images = await e2e.installation.kubectl([...pods, '-o', 'jsonpath={.items[*].spec.containers[0].image}']);
      expect(new Set(images.split(' ').map((name) => name.split(':').at(-1)))).toEqual(new Set([nextTag()]));
    });
  });

  it('a rollback to the last chart loses no running set', async () => {
    const early = await held('rollback');
    await e2e.installation.rollback();
    e2e.servers.requestGate.release('rollback');
    await e2e.expectApproved(early);
    await e2e.expectApproved(await e2e.requestSet('After the rollback'));
  });
});
