/** What the pods of captures look like, changed as an operator's mistake would change it. */
import type { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import type { Installation } from './installation.ts';

export class Profile {
  readonly #installation: Installation;
  #map: { readonly name: string; readonly installed: string } | undefined;
  #now: string | undefined;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** For the captures that begin from now on: as installed, but for this. Nothing is done where it is so already. */
  async set(change: Partial<CaptureProfile>): Promise<void> {
    this.#map ??= await this.#find();
    const { name, installed } = this.#map;
    const text = JSON.stringify({ ...(JSON.parse(installed) as CaptureProfile), ...change });
    if (text === (this.#now ?? JSON.stringify(JSON.parse(installed)))) return;
    const patch = JSON.stringify({ data: { 'profile.json': text } });
    await this.#installation.kubectl(['patch', 'configmap', name, '--type=merge', '-p', patch]);
    this.#now = text;
    await restartController(this.#installation);
  }

  async #find(): Promise<{ name: string; installed: string }> {
    const maps = await this.#installation.list<{ metadata: { name: string }; data: Record<string, string> }>(
      'configmaps',
    );
    const found = maps.find(({ metadata }) => metadata.name.endsWith('-capture-profile'));
    const installed = found?.data['profile.json'];
    if (found === undefined || installed === undefined)
      throw new Error('There is no ConfigMap with the capture profile.');
    return { name: found.metadata.name, installed };
  }
}

/** The profile is read at the start. */
async function restartController(installation: Installation): Promise<void> {
  const name = `deployment/${await installation.deployment('controller')}`;
  await installation.kubectl(['rollout', 'restart', name]);
  await installation.kubectl(['rollout', 'status', name, '--timeout=100s'], { timeoutMs: 110_000 });
}
