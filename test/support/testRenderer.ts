import { createServer } from 'node:http';
import sharp from 'sharp';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import type {
  CreativeFrame,
  CreativeSource,
  RenderedCreative,
  RenderRequest,
} from '../../src/capture/creative/creative.ts';
import { type CreativeRendererOptions, startCreativeRenderer } from '../../src/capture/creative/renderer.ts';
import { createGuardedFetch } from '../../src/egress/fetch.ts';
import { createGuard } from '../../src/egress/guard.ts';
import type { GuardedFetch, LocalOrigins } from '../../src/egress/ports.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';
import { startListener } from './listeners.ts';

/** The ad server's response at a path; `hang`: the server never responds. */
export type Page = { type: string; body: string | Buffer; status?: number; headers?: Record<string, string> } | 'hang';

export interface TestRendererOptions extends Partial<CreativeRendererOptions> {
  /** For what the renderer itself fetches. */
  readonly fetchTimeoutMs?: number;
}

/**
 * A renderer with a real browser, and an ad server on loopback. A busy machine needs seconds for a request, so a test that waits
 * for a limit sets a shorter one itself.
 */
export async function startTestRenderer({ fetchTimeoutMs, ...options }: TestRendererOptions = {}) {
  const pages = new Map<string, Page>();
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    const path = new URL(request.url ?? '/', 'http://studio').pathname;
    asked.push(request.url ?? '');
    const page = pages.get(path) ?? { status: 404, type: 'text/plain', body: 'nothing' };
    if (page === 'hang') return;
    answer.writeHead(page.status ?? 200, { 'content-type': page.type, ...page.headers }).end(page.body);
  });
  const listener = await startListener(server);
  const base = listener.url;
  const network = await startCreativeNetwork(fetchTimeoutMs);
  const { proxyUrl, origins, fetch } = network;
  const renderer = await startCreativeRenderer({
    chromiumPath: findChromium(process.env['CHROMIUM_PATH']),
    proxyUrl,
    origins,
    fetch,
    creativeDeadlineMs: 110_000,
    networkBudgetMs: 60_000,
    ...options,
  });
  return {
    base,
    asked,
    origins,
    renderer,
    /** Puts something on the ad server. @returns its address as a source. */
    put(path: string, page: Page): CreativeSource {
      pages.set(path, page);
      return { kind: 'url', content: base + path };
    },
    render: (source: CreativeSource, request: Partial<RenderRequest> = {}) =>
      renderer.render(source, { markers: [null], ratios: [1], ...request }),
    /** Renders what must succeed. */
    async rendered(source: CreativeSource, request: Partial<RenderRequest> = {}): Promise<RenderedCreative> {
      const result = await renderer.render(source, { markers: [null], ratios: [1], ...request });
      if (result.status !== 'uploaded') throw new Error(`${result.status}: ${result.reason}`);
      return result;
    },
    async close() {
      await renderer.close();
      await network.close();
      await listener.close();
    },
  };
}

export type TestRenderer = Awaited<ReturnType<typeof startTestRenderer>>;

/** `[red, green, blue]` of a pixel of a frame; its middle unless given. */
export async function colourAt(frame: CreativeFrame | undefined, at?: { x: number; y: number }): Promise<number[]> {
  if (frame === undefined) throw new Error('There is no such frame.');
  const { data, info } = await sharp(frame.png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { x, y } = at ?? { x: info.width / 2, y: info.height / 2 };
  const start = (Math.floor(y) * info.width + Math.floor(x)) * info.channels;
  return [...data.subarray(start, start + 3)];
}

export const tag = (content: string): CreativeSource => ({ kind: 'html_tag', content });
export const file = (name: string, bytes: Buffer | string): CreativeSource => ({
  kind: 'file',
  name,
  bytes: Buffer.from(bytes),
});

/** The real way out of a capture, opened for loopback. It finds no host by name, and asks no name server. */
interface CreativeNetwork {
  readonly proxyUrl: string;
  readonly origins: LocalOrigins;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

/** @param fetchTimeoutMs default: enough for a busy machine. */
async function startCreativeNetwork(fetchTimeoutMs = 60_000): Promise<CreativeNetwork> {
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
