/** Scalar, the library that shows the API reference, as one script for browsers. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

interface Reply {
  header(): Reply;
  send(text: string): void;
}

interface Route {
  readonly url: string;
  handler(request: undefined, reply: Reply): void;
}

type Plugin = (host: { route(route: Route): void }, options: object, done: () => void) => void;

const require = createRequire(import.meta.url);

/**
 * @returns the script, compressed with gzip. `make build` stores it beside the compiled program, which does not have the
 *   package.
 */
export function scalarScript(): Buffer {
  if (!import.meta.url.endsWith('.ts')) return readFileSync(new URL('../assets/scalar.js.gz', import.meta.url));
  return gzipSync(scriptOfPlugin(), { level: 9 });
}

/**
 * The package of the library itself brings 280 others. Its plugin for Fastify brings the same script and 9 others, and serves
 * the script at a documented path.
 */
function scriptOfPlugin(): string {
  const { default: plugin } = require('@scalar/fastify-api-reference') as { default: Plugin };
  const sent: string[] = [];
  const reply: Reply = { header: () => reply, send: (text) => void sent.push(text) };
  const route = ({ url, handler }: Route) => {
    if (url.endsWith('/js/scalar.js')) handler(undefined, reply);
  };
  plugin({ route }, { configuration: { url: 'openapi.json' } }, () => undefined);
  const [script] = sent;
  if (script === undefined) throw new Error('@scalar/fastify-api-reference no longer has a route for js/scalar.js.');
  return script;
}
