/** One HTTP request of an API server, as it is sent. */
import type { Dispatcher } from 'undici';
import type { Credentials } from './credentials.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly path: string;
  readonly query?: Query;
  /** A patch is a merge patch. */
  readonly body?: object;
}

const METHOD = {
  ...{ get: 'GET', list: 'GET', watch: 'GET' },
  ...{ create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' },
} as const;
const FIELD_MANAGER = 'tearsheet-controller';

interface SendOptions {
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** The server did not take the credentials of the last request. */
  readonly refused: boolean;
}

/** @returns once the head of the answer is there. */
export async function send(call: ApiCall, options: SendOptions): Promise<Dispatcher.ResponseData> {
  const { server, headers, dispatcher } = await options.credentials.get(options.refused);
  const request: Dispatcher.RequestOptions & { readonly allowH2: boolean } = {
    // One stream a connection: what holds up a watch holds up nothing else.
    allowH2: false,
    origin: new URL(server).origin,
    path: pathOf(server, call),
    method: METHOD[call.verb],
    headers: { ...headers, ...contentHeaders(call) },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal: options.signal,
    // Whoever calls has a limit.
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

export function nameOf({ verb, path }: ApiCall): string {
  return `${verb} ${path}`;
}
