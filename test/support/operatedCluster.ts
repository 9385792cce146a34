import { LocalCluster } from '../../src/cluster/local/localCluster.ts';

/** The cluster of one machine, whose ScreenshotJobs an operator may change too. */
export class OperatedCluster extends LocalCluster {
  /** Sets `spec.cancel`. */
  cancelByHand(name: string): void {
    const resource = this.resources.get(name);
    if (resource === undefined || resource.spec.cancel === true) return;
    const { generation, spec } = resource;
    this.resources.change(resource, { generation: generation + 1, spec: { ...spec, cancel: true } });
    this.changed(name);
  }

  /** Deletes the ScreenshotJob, which is then not marked as removed by us. */
  deleteByHand(name: string): void {
    const resource = this.resources.get(name);
    if (resource === undefined || resource.deleting) return;
    if (!resource.held) return void this.remove(resource);
    this.resources.change(resource, { deleting: true });
    this.changed(name);
  }
}
