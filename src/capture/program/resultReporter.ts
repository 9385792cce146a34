/** Uploads pictures and reports results. Results that arrive at the same time share a call. */
import type { ScreenshotResults } from '../../contract/captureProtocol.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import type { PhaseTimer, PictureResult } from '../engine/pageTask.ts';
import { asCaptureEndError, type CaptureShutdown } from './captureShutdown.ts';
import type { ProtocolClient } from './protocolClient.ts';
import { pictureFault, type Uploader } from './uploader.ts';

const MAX_UPLOADS = 6;
const MAX_IN_A_CALL = 100;

type Report = ScreenshotResults['results'][number];

export interface ReporterOptions {
  readonly client: ProtocolClient;
  readonly phases: PhaseTimer;
  readonly uploader: Uploader;
  /** The first failure begins the shutdown; its `abort` ends open calls. */
  readonly shutdown: CaptureShutdown;
}

export class ResultReporter {
  readonly #options: ReporterOptions;
  readonly #tasks = new TaskGroup(MAX_UPLOADS);
  #waiting: Report[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Resolves when the next result may be added. @throws the error of an earlier upload or report. */
  add(result: PictureResult): Promise<void> {
    return this.#tasks.add(async () => {
      try {
        await this.#deliver(result);
      } catch (error) {
        this.#options.shutdown.begin(asCaptureEndError(error));
        throw error;
      }
    });
  }

  /** Resolves when all are reported. @throws as {@link add}. */
  drain(): Promise<void> {
    return this.#tasks.drain();
  }

  async #deliver(result: PictureResult): Promise<void> {
    const record = { ...result.record };
    const { id } = result.wanted;
    const tooLarge = result.status === 'uploaded' ? pictureFault(result.picture.png) : undefined;
    if (tooLarge !== undefined) await this.#report({ id, status: 'generic_error', reason: tooLarge, record });
    else if (result.status === 'uploaded') await this.#upload(result);
    else await this.#report({ id, status: result.status, reason: result.reason, record });
  }

  async #upload({ wanted: { id }, picture, sha256, record }: Extract<PictureResult, { status: 'uploaded' }>) {
    const { uploader, phases } = this.#options;
    const { width, height, png } = picture;
    const sending = { what: { kind: 'screenshot', id }, png, sha256 } as const;
    const key = await phases.time('upload', () => uploader.send(sending));
    const captured_at = picture.capturedAt.toISOString();
    const report = { id, key, sha256, bytes: png.length, width, height, captured_at };
    await this.#report({ ...report, status: 'uploaded', warnings: [...record.warnings], record: { ...record } });
  }

  /** Resolves when the API has stored this result. Results that arrive during a call go together in the next call. */
  #report(report: Report): Promise<void> {
    this.#waiting.push(report);
    this.#sending ??= this.#sendAll();
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { client, shutdown } = this.#options;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MAX_IN_A_CALL);
        await client.screenshotResults(batch, shutdown.abort);
      }
    } finally {
      // Without a pause since the last check of the queue, so that no report is missed.
      this.#sending = undefined;
    }
  }
}
