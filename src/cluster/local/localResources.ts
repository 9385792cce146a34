/** ScreenshotJobs in memory, with uids and versions as in an API server. */
import { randomUUID } from 'node:crypto';
import type { ScreenshotJob, ScreenshotJobSpec } from '../../contract/screenshotJob.ts';
import { ConflictError, type RecordedEvent } from '../port.ts';

type Named = Pick<ScreenshotJob, 'name' | 'uid'>;

const MAX_EVENTS = 50;

export class LocalResources {
  readonly #resources = new Map<string, ScreenshotJob>();
  readonly #events = new Map<string, RecordedEvent[]>();

  get(name: string): ScreenshotJob | undefined {
    return this.#resources.get(name);
  }

  all(): ScreenshotJob[] {
    return [...this.#resources.values()];
  }

  /** @returns the resource with this name and uid. */
  current({ name, uid }: Named): ScreenshotJob | undefined {
    const resource = this.#resources.get(name);
    return resource?.uid === uid ? resource : undefined;
  }

  add(name: string, spec: ScreenshotJobSpec): void {
    this.#resources.set(name, {
      name,
      uid: randomUUID(),
      version: '1',
      generation: 1,
      createdAt: new Date(),
      deleting: false,
      removedByUs: false,
      spec,
      status: undefined,
    });
  }

  /** @throws ConflictError if `seen` is not the current version. */
  change(seen: ScreenshotJob, edit: Partial<ScreenshotJob>): void {
    const resource = this.current(seen);
    if (resource?.version !== seen.version)
      throw new ConflictError(`The ScreenshotJob ${seen.name} has changed since it was read.`);
    this.#resources.set(seen.name, { ...resource, ...edit, version: String(Number(resource.version) + 1) });
  }

  remove({ name }: Named): void {
    this.#resources.delete(name);
    this.#events.delete(name);
  }

  recordEvent({ name }: Named, event: RecordedEvent): void {
    this.#events.set(name, [...this.events(name), event].slice(-MAX_EVENTS));
  }

  /** The latest 50 Events, oldest first. */
  events(name: string): readonly RecordedEvent[] {
    return this.#events.get(name) ?? [];
  }
}
