import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/programs.ts';
import { useTrial } from './support/trial.ts';

const trial = useTrial('processes', { api: { replicas: 2 }, controller: { replicas: 2 } });

const holder = async (): Promise<string> => {
  const [lease] = await trial.installation.list<{ spec: { holderIdentity?: string } }>('leases');
  return lease?.spec.holderIdentity ?? '';
};

const kill = (pods: readonly string[]) =>
  trial.installation.kubectl(['delete', 'pod', ...pods, '--grace-period=0', '--force']);

async function killAll(component: string): Promise<void> {
  const found = await trial.installation.list<{ metadata: { name: string } }>(
    'pods',
    `app.kubernetes.io/component=${component}`,
  );
  await kill(found.map(({ metadata }) => metadata.name));
}

describe('a process that is killed while a set is captured', () => {
  it('is followed by the other controller, where it led', async () => {
    const set = await trial.held('leader');
    const leader = await holder();
    const since = Date.now();
    await kill([leader]);
    const next = await eventually(async () => {
      const now = await holder();
      expect(['', leader]).not.toContain(now);
      return now;
    });
    const seconds = ((Date.now() - since) / 1000).toFixed(1);
    keepConsole('leader-killed', `${leader} led and was killed; ${next} leads after ${seconds} s`);
    trial.world.gates.open('leader');
    await trial.approved(set);
  });

  it('costs nothing where it was the API, all of it', async () => {
    const set = await trial.held('api');
    await killAll('api');
    trial.world.gates.open('api');
    await trial.installation.ready();
    await trial.approved(set);
  });

  it('costs nothing where it was both controllers', async () => {
    const set = await trial.held('controllers');
    await killAll('controller');
    trial.world.gates.open('controllers');
    await trial.approved(set);
  });
});
