import { createGuardedFetch } from '../../src/egress/fetch.ts';
import { createGuard } from '../../src/egress/guard.ts';
import type { GuardedFetch, LocalOrigins } from '../../src/egress/ports.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';

/** The real way out of a capture, opened for loopback. */
export interface CreativeNetwork {
  readonly proxyUrl: string;
  readonly origins: LocalOrigins;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

export async function startCreativeNetwork(fetchTimeoutMs = 3_000): Promise<CreativeNetwork> {
  const guard = createGuard({ allow: ['127.0.0.0/8'] });
  const proxy = await startEgressProxy({ guard });
  return {
    proxyUrl: proxy.url,
    origins: proxy.origins,
    fetch: createGuardedFetch({ guard, timeoutMs: fetchTimeoutMs }),
    close: () => proxy.close(),
  };
}
