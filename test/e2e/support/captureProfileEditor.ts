/** Changes the capture profile in its ConfigMap, as an operator might by mistake. */
import type { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import type { HelmInstallation } from './helmInstallation.ts';

export class CaptureProfileEditor {
  readonly #installation: HelmInstallation;
  #map: { readonly name: string; readonly installed: string } | undefined;
  #now: string | undefined;

  constructor(installation: HelmInstallation) {
    this.#installation = installation;
  }

  /** Applies `change` to the installed profile for new captures. Does nothing when the profile has it already. */
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
    const found = maps.find(({ metadata }) => /-capture-profile-[0-9a-f]{10}$/.test(metadata.name));
    const installed = found?.data['profile.json'];
    if (found === undefined || installed === undefined)
      throw new Error('There is no ConfigMap with the capture profile.');
    return { name: found.metadata.name, installed };
  }
}

/** The controller reads the profile at its start. */
async function restartController(installation: HelmInstallation): Promise<void> {
  const name = `deployment/${await installation.deployment('controller')}`;
  await installation.kubectl(['rollout', 'restart', name]);
  await installation.kubectl(['rollout', 'status', name, '--timeout=300s'], { timeoutMs: 320_000 });
}
