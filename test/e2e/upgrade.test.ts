import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { nextTag } from './support/environment.ts';
import { type OutsidePostgres, outsidePostgres } from './support/outsidePostgres.ts';
import { keepConsole } from './support/programs.ts';
import { Trial } from './support/trial.ts';

const trial = new Trial();
let postgres: OutsidePostgres;

beforeAll(async () => {
  postgres = await outsidePostgres();
  await trial.begin('upgrade', { ...postgres.values, api: { replicas: 2 }, controller: { replicas: 2 } });
});
afterAll(async () => {
  await trial.end();
  await postgres?.close();
});

interface Pod {
  readonly metadata: { readonly annotations?: Record<string, string>; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

const table = () => trial.installation.kubectl(['get', 'pods']);

/** Of API and controller, that run and are to stay: whether each has been upgraded. */
async function upgradedPods(): Promise<boolean[]> {
  const pods = await trial.installation.list<Pod>('pods', 'app.kubernetes.io/component in (api,controller)');
  return pods
    .filter(({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.annotations?.['upgraded'] === 'true');
}

/** Asks for one set after the other, until it is told to stop and has asked for so many. */
function keepAsking(atLeast: number): { stop(): Promise<{ sets: string[]; refused: string[] }> } {
  let isDone = false;
  const sets: string[] = [];
  const refused: string[] = [];
  const asking = (async () => {
    for (let index = 0; !isDone || index < atLeast; index++) {
      await trial.ask(`Meanwhile ${index}`).then(
        (set) => sets.push(set),
        (error: unknown) => refused.push(String(error)),
      );
      // So that the captures of all do not take the machine from what is watched.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  })();
  return {
    stop: async () => {
      isDone = true;
      await asking;
      return { sets, refused };
    },
  };
}

describe('an upgrade while sets are captured', () => {
  it('loses nothing of what runs, and refuses nothing that is asked for meanwhile', async () => {
    const held = await trial.held('held');
    const before = await table();
    const asking = keepAsking(3);
    const podAnnotations = { upgraded: 'true' };
    const upgraded = trial.installation.upgrade({
      image: { tag: nextTag() },
      api: { podAnnotations },
      controller: { podAnnotations },
    });
    // In the midst of it: the captured set began with the old ones, and ends with both there.
    const midst = eventually(
      async () => expect(new Set(await upgradedPods())).toEqual(new Set([true, false])),
      120_000,
    );
    await Promise.all([midst.then(() => trial.world.gates.open('held')), upgraded]);
    const { sets, refused } = await asking.stop();
    keepConsole(
      'upgrade',
      `$ kubectl get pods\n${before}\n$ helm upgrade t charts/tearsheet --set image.tag=${nextTag()} --wait\n$ kubectl get pods\n${await table()}`,
    );

    expect(refused).toEqual([]);
    for (const set of [held, ...sets]) await trial.approved(set);
    // Old ones take their time to end.
    await eventually(async () => {
      const pods = ['get', 'pods', '-l', 'app.kubernetes.io/component in (api,controller)'];
      const images = await trial.installation.kubectl([...pods, '-o', 'jsonpath={.items[*].spec.containers[0].image}']);
      expect(new Set(images.split(' ').map((name) => name.split(':').at(-1)))).toEqual(new Set([nextTag()]));
    }, 120_000);
  });
});
