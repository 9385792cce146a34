import { pathToFileURL } from 'node:url';
import { freePort } from '../../src/commands/dev/embeddedPostgres.ts';

/**
 * @param artifacts the folder of the artifact store.
 * @returns settings of `tearsheet api` on free ports of this machine, with rates that no bench reaches.
 */
export async function apiSettings(artifacts: string) {
  const [port, internal, metrics] = [await freePort(), await freePort(), await freePort()];
  return {
    ARTIFACTS_URL: pathToFileURL(artifacts).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internal),
    METRICS_PORT: String(metrics),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internal}`,
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
  };
}
