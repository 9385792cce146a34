import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CdpSession } from '../../../../src/capture/browser/cdp.ts';
import { NetworkActivity } from '../../../../src/capture/page/settle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Stands for a page whose requests begin and end at moments of our own. */
class PlayedPage {
  readonly #listeners = new Map<string, (params: never) => void>();
  #requests = 0;

  on: CdpSession['on'] = (event, listener) => {
    this.#listeners.set(event, listener);
    return () => undefined;
  };

  ask(url: string, type = 'Image') {
    this.#requests += 1;
    const requestId = String(this.#requests);
    this.#emit('Network.requestWillBeSent', { requestId, request: { url }, type });
    return { end: () => this.#emit('Network.loadingFinished', { requestId }) };
  }

  #emit(event: string, params: object): void {
    this.#listeners.get(event)?.(params as never);
  }
}

function watched() {
  const page = new PlayedPage();
  const traffic = new NetworkActivity(page, () => false);
  const quietAfter = async (ms: number) => {
    const start = performance.now();
    const quiet = traffic.quiet(10_000).then(() => performance.now() - start);
    await vi.advanceTimersByTimeAsync(ms);
    const late = vi.advanceTimersByTimeAsync(10_000);
    const took = await quiet;
    await late;
    return took <= ms;
  };
  return { page, quietAfter };
}

test('a page is quiet 300 ms after its last request has ended', async () => {
  const { page, quietAfter } = watched();
  const one = page.ask('http://site/one.png');
  await vi.advanceTimersByTimeAsync(1_000);
  one.end();
  expect(await quietAfter(200)).toBe(false);
  const { page: again, quietAfter: againQuietAfter } = watched();
  again.ask('http://site/one.png').end();
  expect(await againQuietAfter(350)).toBe(true);
});

test('a request that does not end counts for 2 s', async () => {
  const first = watched();
  first.page.ask('http://site/endless.png');
  expect(await first.quietAfter(1_900)).toBe(false);
  const second = watched();
  second.page.ask('http://site/endless.png');
  expect(await second.quietAfter(2_400)).toBe(true);
});

test('polling does not count as activity, repeated image requests do', async () => {
  const polled = watched();
  const ask = (type: string) => (page: PlayedPage) => {
    let count = 0;
    return setInterval(() => page.ask(`http://site/api?at=${count++}`, type).end(), 100);
  };
  const polls = ask('Fetch')(polled.page);
  expect(await polled.quietAfter(1_500)).toBe(true);
  clearInterval(polls);
  const shown = watched();
  const pictures = ask('Image')(shown.page);
  expect(await shown.quietAfter(1_500)).toBe(false);
  clearInterval(pictures);
});
