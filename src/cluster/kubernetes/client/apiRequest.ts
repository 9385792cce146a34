/** Sends one HTTP request to the API server, and splits the answer of a watch into lines. */
import { StringDecoder } from 'node:string_decoder';
import type { V1Status } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import type { Credentials } from './credentials.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly path: string;
  readonly query?: Query;
  /** The body of a patch is a merge patch. */
  readonly body?: unknown;
}

const METHOD = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;
const FIELD_MANAGER = 'tearsheet-controller';
/** etcd stores at most 1.5 MB for an object, so no line of a watch is longer. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024;

interface SendOptions {
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** The API server answered the last request with 401. */
  readonly unauthorized: boolean;
}

/** Resolves when the status and the headers have arrived. The caller sets the deadline by `signal`. */
export async function send(call: ApiCall, options: SendOptions): Promise<Dispatcher.ResponseData> {
  const { server, headers, dispatcher } = await options.credentials.get(options.unauthorized);
  const request: Dispatcher.RequestOptions & { readonly allowH2: boolean } = {
    // HTTP/1.1 uses one connection for each request, so a slow watch cannot delay other requests.
    allowH2: false,
    origin: new URL(server).origin,
    path: pathOf(server, call),
    method: METHOD[call.verb],
    headers: { ...headers, ...contentHeaders(call) },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal: options.signal,
    bodyTimeout: 0,
  };
  return dispatcher.request(request);
}

function pathOf(server: string, { verb, path, query = {} }: ApiCall): string {
  const search = new URLSearchParams();
  const isWrite = verb === 'create' || verb === 'update' || verb === 'patch';
  const all: Query = isWrite ? { ...query, fieldManager: FIELD_MANAGER } : query;
  for (const [name, value] of Object.entries(all)) if (value !== undefined) search.set(name, String(value));
  const prefix = new URL(server).pathname.replace(/\/$/, '');
  return `${prefix}${path}${search.size === 0 ? '' : `?${search}`}`;
}

function contentHeaders({ verb, body }: ApiCall): Record<string, string> {
  const common = { accept: 'application/json', 'user-agent': FIELD_MANAGER };
  if (body === undefined) return common;
  return { ...common, 'content-type': verb === 'patch' ? 'application/merge-patch+json' : 'application/json' };
}

/** For error messages: `list /api/v1/nodes`. */
export function nameOf({ verb, path }: ApiCall): string {
  return `${verb} ${path}`;
}

/** @param onData is called for each chunk, also for a part of a line. */
export async function* readLines(body: AsyncIterable<Uint8Array>, onData: () => void): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    onData();
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw new Error(`a line is longer than ${MAX_LINE_LENGTH} characters`);
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

interface ApiErrorOptions {
  /** HTTP status code. */
  readonly code: number;
  /** Machine-readable, for example `AlreadyExists`. */
  readonly reason: string;
  /** Verb and path of the request. */
  readonly call: string;
  readonly causes?: readonly Cause[];
}

/** The API server answered with an error. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly Cause[];

  constructor(message: string, { code, reason, call, causes = [] }: ApiErrorOptions) {
    super(`${call}: ${message} (${code} ${reason})`);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** The API server did not answer: no connection, a broken connection, or the deadline passed. */
export class UnreachableError extends Error {}

/** No byte came over a watch for its idle time. Either nothing happened, or the connection is dead. */
export class SilenceError extends Error {}

/** @param text the body of the answer: a Status object, or anything else if a proxy answered. */
export function apiErrorOf(call: string, code: number, text: string): ApiError {
  const { reason = 'Unknown', message = text.slice(0, 500), details } = readStatus(text);
  return new ApiError(message, { code, reason, call, causes: details?.causes ?? [] });
}

export const isNotFound = (error: unknown) => hasCode(error, 404);
/** The name is taken, or the object has another version or another uid than the request named. */
export const isConflict = (error: unknown) => hasCode(error, 409);
/** The API server no longer has the history since the requested version. The client must list again. */
export const isGone = (error: unknown) => hasCode(error, 410);
/** The API server rejects a merge patch with a uid as invalid if the object has another uid. */
export const isOtherUid = (error: unknown) =>
  error instanceof ApiError && error.code === 422 && error.causes.some(({ field }) => field === 'metadata.uid');
export const isNamespaceEnding = (error: unknown) =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');

function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

function readStatus(text: string): V1Status {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // A proxy between us and the API server answered in its own format.
    return {};
  }
}
