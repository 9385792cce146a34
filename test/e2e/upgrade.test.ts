import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { Listener } from '../support/listeners.ts';
import { nextTag } from './support/environment.ts';
import { forward } from './support/forward.ts';
import { Installation } from './support/installation.ts';
import { keepConsole } from './support/programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './support/world.ts';

let world: World;
let installation: Installation;
let database: TestDatabase;
let postgres: Listener;

beforeAll(async () => {
  world = await startWorld(() => installation.organization.webhook_secret);
  database = await testDatabase();
  const url = new URL(database.url);
  postgres = await forward(Number(url.port));
  url.host = postgres.url.replace('http://', '');
  installation = await Installation.install('upgrade', {
    trial: { postgres: { enabled: false } },
    database: { url: url.href },
    api: { replicas: 2 },
    controller: { replicas: 2 },
    capture: { maxPods: 4, maxPodsPerOrganization: 4 },
  });
  await installation.createOrganization();
});
afterAll(async () => {
  await installation?.remove();
  await postgres?.close();
  await database?.close();
  await world?.close();
});

async function approved(set: string): Promise<void> {
  await eventually(async () => {
    const { status, screenshots } = await installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
    expect([status, screenshots.map(({ reason, status: each }) => reason ?? each)]).toEqual(['approved', ['uploaded']]);
  }, 150_000);
}

describe('an upgrade while sets are captured', () => {
  it('loses nothing of what runs, and refuses nothing that is asked for meanwhile', async () => {
    world.gates.shut('held');
    const held = requestOf(world, { campaign: 'Held', gate: 'held' });
    const sets = [(await installation.call<ScreenshotSet>('POST', '/screenshot_requests', held)).id];
    await world.gates.reached('held');
    const before = await installation.kubectl(['get', 'pods']);

    let isDone = false;
    const refused: string[] = [];
    const asking = (async () => {
      for (let index = 0; !isDone && index < 60; index++) {
        await installation
          .call<ScreenshotSet>('POST', '/screenshot_requests', requestOf(world, { campaign: `Meanwhile ${index}` }))
          .then(
            ({ id }) => sets.push(id),
            (error: unknown) => refused.push(String(error)),
          );
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      }
    })();
    const podAnnotations = { upgraded: 'true' };
    const printed = await installation.upgrade({
      image: { tag: nextTag() },
      api: { podAnnotations },
      controller: { podAnnotations },
    });
    isDone = true;
    await asking;
    world.gates.open('held');
    keepConsole(
      'upgrade',
      `$ kubectl get pods\n${before}\n$ helm upgrade t charts/tearsheet --set image.tag=${nextTag()} --wait\n${printed.split('\n').slice(0, 6).join('\n')}\n$ kubectl get pods\n${await installation.kubectl(['get', 'pods'])}`,
    );

    expect(refused).toEqual([]);
    expect(sets.length).toBeGreaterThan(3);
    for (const set of sets) await approved(set);
    for (const set of sets) {
      await eventually(() => expect(new Set(world.receiver.accepted('screenshot_set.approved', set)).size).toBe(1));
    }
    const images = await installation.kubectl([
      'get',
      'pods',
      '-l',
      'app.kubernetes.io/component in (api,controller)',
      '-o',
      'jsonpath={.items[*].spec.containers[0].image}',
    ]);
    expect(new Set(images.split(' ').map((name) => name.split(':').at(-1)))).toEqual(new Set([nextTag()]));
  });
});
