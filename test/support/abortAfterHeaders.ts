import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const CHANNEL = 'undici:request:headers';

/**
 * Acts as a deadline that passes while the body of an answer is read.
 * @returns a signal that aborts when undici has received the headers of the next answer of `origin`.
 */
export function abortAfterHeaders(origin: string): AbortSignal {
  const deadline = new AbortController();
  const onHeaders = (message: unknown) => {
    const { request } = message as { readonly request: { readonly origin: string | URL } };
    if (new URL(request.origin).origin !== origin) return;
    unsubscribe(CHANNEL, onHeaders);
    // The caller of undici gets the headers before the next turn of the event loop.
    setImmediate(() => deadline.abort());
  };
  subscribe(CHANNEL, onHeaders);
  return deadline.signal;
}
