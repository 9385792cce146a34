/** What the pods of captures look like, changed as an operator's mistake would change it. */
import type { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import type { Installation } from './installation.ts';

type Change = Partial<CaptureProfile>;

/** Changes the profile for the captures that begin from now on. @returns a function that brings back what was. */
export async function changeProfile(installation: Installation, change: Change): Promise<() => Promise<void>> {
  const [found] = (
    await installation.list<{ metadata: { name: string }; data: Record<string, string> }>('configmaps')
  ).filter(({ metadata }) => metadata.name.endsWith('-capture-profile'));
  const before = found?.data['profile.json'];
  if (found === undefined || before === undefined) throw new Error('There is no ConfigMap with the capture profile.');
  const write = async (text: string) => {
    const patch = JSON.stringify({ data: { 'profile.json': text } });
    await installation.kubectl(['patch', 'configmap', found.metadata.name, '--type=merge', '-p', patch]);
    await restartController(installation);
  };
  await write(JSON.stringify({ ...(JSON.parse(before) as CaptureProfile), ...change }));
  return () => write(before);
}

/** The profile is read at the start. */
async function restartController(installation: Installation): Promise<void> {
  const name = `deployment/${await installation.deployment('controller')}`;
  await installation.kubectl(['rollout', 'restart', name]);
  await installation.kubectl(['rollout', 'status', name, '--timeout=100s'], { timeoutMs: 110_000 });
}
