import { createGuardedFetch } from '../../src/egress/fetch.ts';
import { createGuard } from '../../src/egress/guard.ts';
import type { GuardedFetch, LocalOrigins } from '../../src/egress/ports.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';

/** The real way out of a capture, opened for loopback. It finds no host by name, and asks no name server. */
export interface CreativeNetwork {
  readonly proxyUrl: string;
  readonly origins: LocalOrigins;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

/** @param fetchTimeoutMs default: enough for a busy machine. */
export async function startCreativeNetwork(fetchTimeoutMs = 60_000): Promise<CreativeNetwork> {
  const lookup = (name: string) =>
    Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
  const guard = createGuard({ allow: ['127.0.0.0/8'], lookup });
  const proxy = await startEgressProxy({ guard });
  return {
    proxyUrl: proxy.url,
    origins: proxy.origins,
    fetch: createGuardedFetch({ guard, timeoutMs: fetchTimeoutMs }),
    close: () => proxy.close(),
  };
}
