/** An upgrade from the version before this one and the rollback to it: image and chart of both, with sets in flight each way. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/commands.ts';
import { E2eContext, PATIENT } from './support/e2eContext.ts';
import { image, previousTag } from './support/environment.ts';
import { PREVIOUS_CHART } from './support/helmInstallation.ts';
import { type SharedPostgres, sharedPostgres } from './support/sharedPostgres.ts';

const previous = previousTag();
if (previous === undefined)
  console.warn('The upgrade from the version before: skipped, because IMAGE_PREVIOUS_TAG does not name its image.');

const e2e = new E2eContext();

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status: { readonly phase: string };
}

/** The image tags of the running pods of API and controller, without those that are being deleted. */
async function runningTags(): Promise<Set<string | undefined>> {
  const pods = await e2e.installation.list<Pod>('pods', 'app.kubernetes.io/component in (api,controller)');
  return new Set(
    pods
      .filter(({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec.containers[0]?.image.split(':').at(-1)),
  );
}

/** Requests sets until stopped, each after the one before is approved. @returns a function that stops and returns their ids. */
function keepRequesting(campaign: string): () => Promise<string[]> {
  let isStopped = false;
  const sets: string[] = [];
  const requesting = (async () => {
    while (!isStopped || sets.length < 2) {
      const set = await e2e.requestSet(`${campaign} ${sets.length}`);
      sets.push(set);
      await e2e.expectApproved(set);
    }
  })();
  // The caller of the function below gets the error.
  requesting.catch(() => undefined);
  return async () => {
    isStopped = true;
    await requesting;
    return sets;
  };
}

/**
 * Changes the version while one set is captured and others are requested.
 * @param change resolves when Helm has finished.
 */
async function changeVersion(label: string, from: string, to: string, change: () => Promise<unknown>): Promise<void> {
  expect(await runningTags()).toEqual(new Set([from]));
  const early = await e2e.requestSetOfHeldPage(label);
  const stop = keepRequesting(`During ${label}`);
  // The page loads only while processes of both versions run, so that one version begins the set and both can end it.
  const both = eventually(async () => expect(await runningTags()).toEqual(new Set([from, to])), 240_000).then(() =>
    e2e.servers.requestGate.release(label),
  );
  await Promise.all([both, change()]);
  const sets = [early, ...(await stop())];
  await eventually(async () => expect(await runningTags()).toEqual(new Set([to])), 120_000);
  sets.push(await e2e.requestSet(`After ${label}`));
  for (const set of sets) await e2e.expectApproved(set);
  keepConsole(label, await e2e.kubectlOutput(['get', 'pods'], ['get', 'screenshotjobs']));
}

describe.skipIf(previous === undefined)('this version and the one before', () => {
  const [before = '', now] = [previous, image().tag];
  let postgres: SharedPostgres;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    const values = { image: { tag: before }, settings: PATIENT, api: { replicas: 2 }, controller: { replicas: 2 } };
    await e2e.start('upgrade', { ...postgres.values, ...values }, undefined, PREVIOUS_CHART);
  });
  afterEach(() => e2e.cleanUp());
  afterAll(async () => {
    await e2e.close();
    await postgres?.close();
  });

  it('an upgrade from the version before loses no running set and rejects no request', () =>
    changeVersion('upgrade', before, now, () => e2e.installation.upgrade({ image: { tag: now } })));

  it('a rollback to the version before loses no running set and rejects no request', () =>
    changeVersion('rollback', now, before, () => e2e.installation.rollback()));

  it('a second upgrade after the rollback loses nothing either', () =>
    changeVersion('second-upgrade', before, now, () => e2e.installation.upgrade({ image: { tag: now } })));
});
