import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { Listener } from '../support/listeners.ts';
import { nextTag } from './support/environment.ts';
import { forward } from './support/forward.ts';
import { keepConsole } from './support/programs.ts';
import { Trial } from './support/trial.ts';

const trial = new Trial();
let database: TestDatabase;
let postgres: Listener;

/** A PostgreSQL that is no part of the release, and outlives an upgrade. */
beforeAll(async () => {
  database = await testDatabase();
  const url = new URL(database.url);
  postgres = await forward(Number(url.port));
  url.host = postgres.url.replace('http://', '');
  await trial.begin('upgrade', {
    trial: { postgres: { enabled: false } },
    database: { url: url.href },
    api: { replicas: 2 },
    controller: { replicas: 2 },
  });
});
afterAll(async () => {
  await trial.end();
  await postgres?.close();
  await database?.close();
});

const pods = () => trial.installation.kubectl(['get', 'pods']);

/** Asks for one set after the other until told to stop. */
function keepAsking(): { stop(): Promise<{ sets: string[]; refused: string[] }> } {
  let isDone = false;
  const [sets, refused]: string[][] = [[], []];
  const asking = (async () => {
    for (let index = 0; !isDone && index < 10; index++) {
      await trial.ask(`Meanwhile ${index}`).then(
        (set) => sets?.push(set),
        (error: unknown) => refused?.push(String(error)),
      );
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  })();
  return {
    stop: async () => {
      isDone = true;
      await asking;
      return { sets: sets ?? [], refused: refused ?? [] };
    },
  };
}

describe('an upgrade while sets are captured', () => {
  it('loses nothing of what runs, and refuses nothing that is asked for meanwhile', async () => {
    const held = await trial.held('held');
    const before = await pods();
    const asking = keepAsking();
    const podAnnotations = { upgraded: 'true' };
    const upgraded = trial.installation.upgrade({
      image: { tag: nextTag() },
      api: { podAnnotations },
      controller: { podAnnotations },
    });
    // In the midst of it, and before the capture gives its creative up.
    setTimeout(() => trial.world.gates.open('held'), 12_000);
    await upgraded;
    const { sets, refused } = await asking.stop();
    keepConsole(
      'upgrade',
      `$ kubectl get pods\n${before}\n$ helm upgrade t charts/tearsheet --set image.tag=${nextTag()} --wait\n$ kubectl get pods\n${await pods()}`,
    );

    expect(refused).toEqual([]);
    expect(sets.length).toBeGreaterThan(2);
    for (const set of [held, ...sets]) await trial.approved(set);
    // Old ones take their time to end.
    await eventually(async () => {
      const pods = ['get', 'pods', '-l', 'app.kubernetes.io/component in (api,controller)'];
      const images = await trial.installation.kubectl([...pods, '-o', 'jsonpath={.items[*].spec.containers[0].image}']);
      expect(new Set(images.split(' ').map((name) => name.split(':').at(-1)))).toEqual(new Set([nextTag()]));
    }, 120_000);
  });
});
