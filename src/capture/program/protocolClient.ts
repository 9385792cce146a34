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
  HostingHeld,
  PROTOCOL_VERSION,
  ResolvedCreatives,
  type ScreenshotResults,
} from '../../contract/captureProtocol.ts';
import { rejectedError } from './captureShutdown.ts';
import {
  MissingFileError,
  type TokenSource,
  Transport,
  type TransportCallOptions,
  type TransportTiming,
  type UploadTarget,
  type WantedFile,
} from './transport.ts';

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

  async screenshotResults(results: ScreenshotResults['results'], signal: AbortSignal): Promise<void> {
    await this.#post('/screenshots/results', { results }, Done, { signal });
  }

  async finish(phases: Readonly<Record<string, number>>, signal: AbortSignal): Promise<void> {
    const { index, attempt } = this.#attemptRef;
    await this.#transport.post(`/indexes/${index}/finish`, { attempt, phases }, Done, { signal });
  }

  /** @returns a signed URL for each upload, in the same order. */
  async declareUploads(uploads: DeclareUploads['uploads'], signal: AbortSignal): Promise<DeclaredUploads['uploads']> {
    return (await this.#post('/uploads', { uploads }, DeclaredUploads, { signal })).uploads;
  }

  upload(upload: UploadTarget, signal: AbortSignal): Promise<void> {
    return this.#transport.put(upload, { signal });
  }

  download(url: string, sha256: string, signal: AbortSignal): Promise<Buffer> {
    return this.#get(url, { sha256, what: 'a frame' }, { signal });
  }

  /** @throws MissingFileError if the artifact store does not have the file. */
  downloadUpload({ url, sha256, bytes }: UploadedFile, signal: AbortSignal): Promise<Buffer> {
    const heldMs = Math.ceil((bytes / SLOWEST_BYTES_PER_SECOND) * 1_000);
    return this.#transport.get(url, { sha256, what: 'an uploaded file' }, { signal, heldMs });
  }

  /** A frame was there when its URL was signed, so a missing one is not the fault of a creative. */
  async #get(url: string, file: WantedFile, options: TransportCallOptions): Promise<Buffer> {
    try {
      return await this.#transport.get(url, file, options);
    } catch (error) {
      throw error instanceof MissingFileError ? rejectedError(error.message) : error;
    }
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

/** The program ends soon, so it does not wait for a lost API. */
const LEAVE_MS = 2_000;

/** The calls of a program that takes small sets after its own index. */
export class SmallSetClient {
  readonly #transport: Transport;
  readonly #hasty: Transport;
  readonly #path: string;
  readonly #attempt: number;

  constructor(options: ProtocolClientOptions, { index, attempt }: CallAttempt) {
    this.#transport = transportOf(options);
    this.#hasty = transportOf({ ...options, timing: { ...options.timing, callMs: LEAVE_MS, retryForMs: LEAVE_MS } });
    this.#path = `/indexes/${index}`;
    this.#attempt = attempt;
  }

  /** @returns the job of the next set; null if there is none. */
  async claim(signal: AbortSignal): Promise<string | null> {
    const call = { attempt: this.#attempt };
    return (await this.#transport.post(`${this.#path}/small-set`, call, ClaimedSmallSet, { signal })).body.job;
  }

  async renewLease(signal: AbortSignal): Promise<void> {
    await this.#transport.post(`${this.#path}/hosting`, { attempt: this.#attempt }, HostingHeld, { signal });
  }

  /** The program takes no further set. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#hasty.post(`${this.#path}/hosting`, { attempt: this.#attempt, ends: true }, HostingHeld, { signal });
  }
}

function transportOf({ internalUrl, jobId, token, timing }: ProtocolClientOptions): Transport {
  const base = `${internalUrl}/internal/${PROTOCOL_VERSION}/jobs/${jobId}`;
  return new Transport({ base, token, ...(timing && { timing }) });
}
