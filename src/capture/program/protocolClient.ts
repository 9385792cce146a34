/** The client of the capture protocol. Every call may throw CaptureEndError (superseded, rejected) and RetriesExhaustedError. */
import { z } from 'zod';
import {
  Attempt,
  ClaimedCreative,
  ClaimedSmallSet,
  ClaimHeld,
  type CreativeResult,
  DeclaredUploads,
  type DeclareUploads,
  type FinishIndex,
  HostingHeld,
  type RecordedSpan,
  ResolvedCreatives,
  type ScreenshotResults,
} from '../../contract/captureProtocol.ts';
import { PROTOCOL_VERSION } from '../../contract/protocolVersion.ts';
import { rejectedError } from './captureShutdown.ts';
import { MissingFileError, type TokenSource, Transport, type TransportTiming, type UploadTarget } from './transport.ts';

export interface ProtocolClientOptions {
  /** The base URL of the internal API, without a slash at its end. */
  readonly internalUrl: string;
  readonly jobId: string;
  readonly token: TokenSource;
  readonly timing?: Partial<TransportTiming>;
}

export interface TimedAttempt {
  readonly attempt: Attempt;
  /** The time until the deadline, by the server's clock if its answer has a date. */
  readonly remainingMs: number;
}

/** Identifies the attempt in each call. */
export interface CallAttempt {
  readonly index: number;
  readonly attempt: number;
}

const Done = z.object({});

type UploadedFile = NonNullable<NonNullable<ClaimedCreative['creative']>['file']>;
/** A large file may take longer than the deadline of a call. */
const SLOWEST_BYTES_PER_SECOND = 1024 * 1024;
const END_HOSTING_MS = 2_000;

export async function openAttempt(
  options: ProtocolClientOptions,
  { index, ...body }: { index: number; pod: string; hosts?: boolean },
  signal: AbortSignal,
): Promise<TimedAttempt> {
  const path = `/indexes/${index}/attempts`;
  const { body: attempt, date } = await transportOf(options).post(path, body, Attempt, { signal });
  const now = date ?? new Date();
  return { attempt, remainingMs: Date.parse(attempt.deadline_at) - now.getTime() };
}

/** The calls of one attempt. */
export class ProtocolClient {
  readonly #transport: Transport;
  readonly #attemptRef: CallAttempt;

  constructor(options: ProtocolClientOptions, attemptRef: CallAttempt) {
    this.#transport = transportOf(options);
    this.#attemptRef = attemptRef;
  }

  claim(signal: AbortSignal): Promise<ClaimedCreative> {
    return this.#post('/creatives/claim', {}, ClaimedCreative, { signal });
  }

  /** @returns whether the claim is still held. */
  async renew(ad: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#post(`/creatives/${ad}/renew`, {}, ClaimHeld, { signal })).held;
  }

  async release(ad: string, signal: AbortSignal): Promise<void> {
    await this.#post(`/creatives/${ad}/release`, {}, Done, { signal });
  }

  async creativeResult(
    ad: string,
    result: Omit<CreativeResult, keyof CallAttempt>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#post(`/creatives/${ad}/result`, result, Done, { signal });
  }

  /** Waits until one of `ads` is resolved, at most `timeoutMs`. @returns the resolved ones. */
  async wait(ads: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ResolvedCreatives['creatives']> {
    const call = { ads, timeout_ms: timeoutMs };
    return (await this.#post('/creatives/wait', call, ResolvedCreatives, { signal, heldMs: timeoutMs })).creatives;
  }

  async screenshotResults(
    results: ScreenshotResults['results'],
    spans: readonly RecordedSpan[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.#post('/screenshots/results', { results, spans }, Done, { signal });
  }

  async finish(used: Omit<z.input<typeof FinishIndex>, 'attempt'>, signal: AbortSignal): Promise<void> {
    await this.#postIndex('/finish', used, Done, signal);
  }

  claimSmallSet(signal: AbortSignal): Promise<ClaimedSmallSet> {
    return this.#postIndex('/small-set', {}, ClaimedSmallSet, signal);
  }

  async renewHosting(signal: AbortSignal): Promise<void> {
    await this.#postIndex('/hosting', {}, HostingHeld, signal);
  }

  /** The program takes no further small set. It ends soon, so this does not wait long for a lost API. */
  async endHosting(signal: AbortSignal): Promise<void> {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(END_HOSTING_MS)]);
    await this.#postIndex('/hosting', { ends: true }, HostingHeld, soon);
  }

  /** @returns a signed URL for each upload, in the same order. */
  async declareUploads(uploads: DeclareUploads['uploads'], signal: AbortSignal): Promise<DeclaredUploads['uploads']> {
    return (await this.#post('/uploads', { uploads }, DeclaredUploads, { signal })).uploads;
  }

  upload(upload: UploadTarget, signal: AbortSignal): Promise<void> {
    return this.#transport.put(upload, { signal, heldMs: heldMs(upload.bytes.length) });
  }

  async download(url: string, sha256: string, signal: AbortSignal): Promise<Buffer> {
    try {
      return await this.#transport.get(url, { sha256, what: 'a frame' }, { signal });
    } catch (error) {
      // A frame was there when its URL was signed, so a missing one is not the fault of a creative.
      throw error instanceof MissingFileError ? rejectedError(error.message) : error;
    }
  }

  /** @throws MissingFileError if the artifact store does not have the file. */
  downloadUpload({ url, sha256, bytes }: Omit<UploadedFile, 'name'>, signal: AbortSignal): Promise<Buffer> {
    return this.#transport.get(url, { sha256, what: 'an uploaded file' }, { signal, heldMs: heldMs(bytes) });
  }

  async #postIndex<T>(path: string, body: object, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const { index, attempt } = this.#attemptRef;
    return (await this.#transport.post(`/indexes/${index}${path}`, { attempt, ...body }, answer, { signal })).body;
  }

  async #post<T>(
    path: string,
    body: object,
    answer: z.ZodType<T>,
    options: { signal: AbortSignal; heldMs?: number },
  ): Promise<T> {
    return (await this.#transport.post(path, { ...this.#attemptRef, ...body }, answer, options)).body;
  }
}

/** How long a file may take on a slow connection. */
function heldMs(bytes: number): number {
  return Math.ceil((bytes / SLOWEST_BYTES_PER_SECOND) * 1_000);
}

function transportOf({ internalUrl, jobId, token, timing }: ProtocolClientOptions): Transport {
  const base = `${internalUrl}/internal/${PROTOCOL_VERSION}/jobs/${jobId}`;
  return new Transport({ base, token, ...(timing && { timing }) });
}
