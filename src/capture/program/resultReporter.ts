/** Uploads pictures and reports results. Results that arrive at the same time share a call. */
import type { ScreenshotResults } from '../../contract/captureProtocol.ts';
import type { AnimationFormat } from '../../domain/animations.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import { takeSpans } from '../../observe/tracing.ts';
import type { AnimationFiles } from '../compose/animation.ts';
import type { PictureResult, PlacementResult } from '../engine/pageTask.ts';
import type { PagePicture } from '../page/page.ts';
import { asCaptureEndError } from './captureShutdown.ts';
import type { AttemptTools } from './renderClaims.ts';
import { type PictureUpload, pictureFault, upload } from './uploader.ts';

const MAX_UPLOADS = 6;
const MAX_IN_A_CALL = 100;
/** For the picture of the page of a failure, which must not wait long for it. */
const PAGE_UPLOAD_MS = 10_000;

type Report = ScreenshotResults['results'][number];
type StoredPage = NonNullable<Exclude<Report, { status: 'uploaded' }>['page']>;

export class ResultReporter {
  readonly #tools: AttemptTools;
  readonly #pages = new WeakMap<PagePicture, Promise<StoredPage | undefined>>();
  readonly #tasks = new TaskGroup(MAX_UPLOADS);
  #waiting: Report[] = [];
  #sending: Promise<void> | undefined;

  constructor(tools: AttemptTools) {
    this.#tools = tools;
  }

  /** Resolves when the next result may be added. @throws the error of an earlier upload or report. */
  add(result: PictureResult | PlacementResult): Promise<void> {
    return this.#tasks.add(async () => {
      try {
        await this.#deliver(result);
      } catch (error) {
        this.#tools.shutdown.begin(asCaptureEndError(error));
        throw error;
      }
    });
  }

  /** Resolves when all are reported. @throws as {@link add}. */
  drain(): Promise<void> {
    return this.#tasks.drain();
  }

  async #deliver(result: PictureResult | PlacementResult): Promise<void> {
    const record = 'record' in result ? { ...result.record } : undefined;
    const { id } = result.wanted;
    const tooLarge = result.status === 'uploaded' ? pictureFault(result.picture.png) : undefined;
    if (tooLarge !== undefined) await this.#report({ id, status: 'generic_error', reason: tooLarge, record });
    else if (result.status === 'uploaded') await this.#upload(result);
    else {
      const page = 'page' in result && result.page ? await this.#storedPage(result.page, id) : undefined;
      await this.#report({ id, status: result.status, reason: result.reason, record, page });
    }
  }

  /** Uploads it once for all failures of the page. A failure is reported without it if that is not possible. */
  #storedPage(picture: PagePicture, id: string): Promise<StoredPage | undefined> {
    if (!this.#tools.attempt.page_pictures) return Promise.resolve(undefined);
    const known = this.#pages.get(picture) ?? this.#uploadPage(picture, id);
    this.#pages.set(picture, known);
    return known;
  }

  async #uploadPage({ png, width, height }: PagePicture, id: string): Promise<StoredPage | undefined> {
    const { client, shutdown, phases, log } = this.#tools;
    const signal = AbortSignal.any([shutdown.abort, AbortSignal.timeout(PAGE_UPLOAD_MS)]);
    try {
      const page: PictureUpload = { what: { kind: 'page', id }, file: png };
      return { id, ...(await phases.time('upload', () => upload(client, page, signal))), width, height };
    } catch (error) {
      log.warn({ screenshot_id: id, err: error }, 'the picture of the page of a failed screenshot was not uploaded');
      return undefined;
    }
  }

  async #upload(result: Extract<PictureResult | PlacementResult, { status: 'uploaded' }>) {
    const { wanted, picture, record } = result;
    const { id } = wanted;
    const { client, shutdown, phases } = this.#tools;
    const { width, height, png } = picture;
    const send: Send = (what, file) => upload(client, { what, file }, shutdown.abort);
    const made = 'animation' in result ? result.animation : undefined;
    const [stored, animation] = await phases.time('upload', () =>
      Promise.all([send({ kind: 'screenshot', id }, png), made && uploadAnimation(id, made, send)]),
    );
    const captured_at = picture.capturedAt.toISOString();
    const report = { id, ...stored, width, height, captured_at, animation };
    const warnings = 'warnings' in record ? record.warnings : [];
    await this.#report({ ...report, status: 'uploaded', warnings: [...warnings], record: { ...record } });
  }

  /** Resolves when the API has stored this result. Results that arrive during a call go together in the next call. */
  #report(report: Report): Promise<void> {
    this.#waiting.push(report);
    this.#sending ??= this.#sendAll();
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { client, shutdown } = this.#tools;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MAX_IN_A_CALL);
        await client.screenshotResults(batch, takeSpans(), shutdown.abort);
      }
    } finally {
      // Without a pause since the last check of the queue, so that no report is missed.
      this.#sending = undefined;
    }
  }
}

type Send = (what: PictureUpload['what'], file: Buffer) => ReturnType<typeof upload>;

async function uploadAnimation(id: string, animation: AnimationFiles, send: Send) {
  const sendFile = async (format: AnimationFormat) => {
    const { bytes, ...size } = animation[format];
    return { ...(await send({ kind: 'animation', id, format }, bytes)), ...size };
  };
  const [webp, gif] = await Promise.all([sendFile('webp'), sendFile('gif')]);
  return { ...animation, webp, gif };
}
