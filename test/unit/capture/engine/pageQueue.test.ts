import { expect, test, vi } from 'vitest';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { CreativeOutcomes } from '../../../../src/capture/engine/creativeOutcomes.ts';
import { EngineStartError } from '../../../../src/capture/engine/engine.ts';
import { processPages } from '../../../../src/capture/engine/pageQueue.ts';
import { type PageTaskOptions, PhaseTimer, type PictureResult } from '../../../../src/capture/engine/pageTask.ts';
import type {
  ClosedPage,
  OpenPage,
  Picture,
  PlacementFailure,
  ScoredCandidate,
} from '../../../../src/capture/page/page.ts';
import type { WantedLocation } from '../../../../src/contract/locations.ts';
import { findDevice } from '../../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

/** The smallest PNG. */
const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FRAME: CreativeFrame = { markerMs: null, ratio: 1, png: Buffer.alloc(0), width: 300, height: 250 };
const BOX = { x: 0, y: 0, width: 300, height: 250 };
const SLOT: ScoredCandidate = {
  box: BOX,
  sizes: [[300, 250]],
  evidence: ['gpt'],
  element: '#slot',
  visible: true,
  collapsed: false,
  sticky: false,
  covered: false,
  score: 1,
  likelihood: 0.9,
  size: [300, 250],
  reasons: [],
};
const PICTURE: Picture = {
  status: 'uploaded',
  png: ONE_PIXEL,
  width: 1440,
  height: 900,
  chosen: SLOT,
  candidates: [SLOT],
  adBox: BOX,
  scale: 1,
  mode: 'composed',
  capturedAt: new Date(0),
  warnings: [],
};

/** The reaction of a page when an ad is placed on it. */
type Behaviour = (browser: Browser) => Promise<Picture | PlacementFailure>;

/** A fake browser that pages share. One of them can crash it at a moment that the test chooses. */
class Browser {
  readonly opened: string[] = [];
  readonly browserVersion = '1';
  readonly memoryEndReason = undefined;
  /** How many openings of a site find its location unavailable. */
  readonly awayFor: Record<string, number> = {};
  mostOpen = 0;
  renewed = 0;
  readonly #sites: Readonly<Record<string, Behaviour>>;
  readonly #placing = new Set<string>();
  #open = 0;
  #gone = Promise.withResolvers<never>();

  constructor(sites: Readonly<Record<string, Behaviour>>) {
    this.#sites = sites;
  }

  async open(site: string): Promise<OpenPage | ClosedPage> {
    this.opened.push(site);
    if ((this.awayFor[site] ?? 0) > 0) {
      this.awayFor[site] = (this.awayFor[site] ?? 0) - 1;
      const reason = 'location_unavailable: Location jp: its proxy failed: ECONNREFUSED.';
      return { status: 'generic_error', reason, candidates: [], finalUrl: site };
    }
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    await someTurns();
    const close = async () => {
      this.#open -= 1;
    };
    const unused = () => Promise.reject(new Error('no test asks for it'));
    return {
      status: 'ready',
      finalUrl: site,
      candidates: [],
      phases: {},
      place: () => this.#place(site),
      placeTogether: unused,
      judge: unused,
      capture: unused,
      close,
    };
  }

  async #place(site: string): Promise<Picture | PlacementFailure> {
    this.#placing.add(site);
    try {
      await someTurns();
      return await Promise.race([this.#gone.promise, this.#sites[site]?.(this) ?? PICTURE]);
    } finally {
      this.#placing.delete(site);
    }
  }

  get isShared(): boolean {
    return this.#open > 1;
  }

  /** Resolves when `site` is open as well. */
  async meet(site: string): Promise<void> {
    while (!this.#placing.has(site)) await someTurns();
  }

  end(): void {
    this.#gone.reject(new Error('Target closed'));
    this.#gone.promise.catch(() => undefined);
  }

  async restartPageBrowser(): Promise<void> {
    this.renewed += 1;
    this.#gone = Promise.withResolvers<never>();
  }
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

const JAPAN: WantedLocation = {
  id: 'jp',
  profile: {
    ...{ id: 'jp', name: 'Japan', country: 'JP', locale: 'ja-JP', languages: ['ja-JP'], time_zone: 'Asia/Tokyo' },
    ...{ geolocation: null, check_url: null },
  },
};

async function take(
  browser: Browser,
  sites: readonly string[],
  more: Pick<PageTaskOptions, 'locationRetry'> = {},
): Promise<Record<string, string>> {
  const outcomes = new CreativeOutcomes();
  const film = async () => undefined;
  outcomes.resolve('ad', {
    status: 'rendered',
    mode: 'still',
    isVideo: false,
    warnings: [],
    frame: async () => FRAME,
    film,
  });
  const results: PictureResult[] = [];
  const page = (site: string) => ({
    site,
    device: findDevice('desktop')!,
    otherAds: 'hide' as const,
    location: JAPAN,
    pictures: [{ id: site, ad: 'ad', markerMs: null, options: DEFAULT_OPTIONS }],
  });
  await processPages(sites.map(page), {
    engine: browser,
    outcomes,
    phases: new PhaseTimer(),
    log: TEST_LOG,
    stop: new AbortController().signal,
    onResult: async (result) => void results.push(result),
    onOpening: () => undefined,
    maxOpenPages: 2,
    ...more,
  });
  expect(results.map(({ wanted }) => wanted.id).sort()).toEqual([...sites].sort());
  return Object.fromEntries(results.map(({ wanted, status }) => [wanted.id, status]));
}

const shows: Behaviour = async () => PICTURE;
const never = new Promise<never>(() => undefined);
const openings = (browser: Browser, site: string) => browser.opened.filter((one) => one === site).length;

test('at most two pages are open at once', async () => {
  const browser = new Browser({ a: shows, b: shows, c: shows, d: shows, e: shows });
  expect(new Set(Object.values(await take(browser, ['a', 'b', 'c', 'd', 'e'])))).toEqual(new Set(['uploaded']));
  expect(browser.mostOpen).toBe(2);
  expect(browser.opened).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(browser.renewed).toBe(0);
});

test('a page is processed again if another page crashes the browser; the crashing page gets three tries alone', async () => {
  const ends: Behaviour = async (browser) => {
    if (browser.isShared) await browser.meet('innocent');
    browser.end();
    return never;
  };
  const innocent: Behaviour = (browser) => (browser.isShared ? never : shows(browser));
  const browser = new Browser({ innocent, ends, later: shows });
  expect(await take(browser, ['innocent', 'ends', 'later'])).toEqual({
    innocent: 'uploaded',
    ends: 'generic_error',
    later: 'uploaded',
  });
  expect([openings(browser, 'innocent'), openings(browser, 'ends'), openings(browser, 'later')]).toEqual([2, 4, 1]);
  // Once for the two that were lost together, and each time that the one did it alone.
  expect(browser.renewed).toBe(4);
});

test('no further page is opened in a browser that lost a page', async () => {
  let endsLeft = 1;
  const ends: Behaviour = async (browser) => {
    if (endsLeft-- > 0) {
      await browser.meet('slow');
      browser.end();
    }
    return PICTURE;
  };
  // Sees only late that its browser has gone.
  const slow: Behaviour = async () => {
    await someTurns();
    return PICTURE;
  };
  const browser = new Browser({ ends, slow, other: shows });
  expect(await take(browser, ['ends', 'slow', 'other'])).toMatchObject({ ends: 'uploaded', other: 'uploaded' });
  expect(browser.opened.indexOf('other')).toBe(browser.opened.length - 1);
});

test('a timeout beside another page is tried again alone', async () => {
  const late: Behaviour = async (browser) =>
    browser.isShared
      ? { status: 'no_slots', reason: 'took longer than 15 s', candidates: [], timedOut: true }
      : PICTURE;
  const busy: Behaviour = async (browser) => {
    while (browser.isShared) await someTurns();
    return PICTURE;
  };
  const browser = new Browser({ late, busy });
  expect(await take(browser, ['late', 'busy'])).toEqual({ late: 'uploaded', busy: 'uploaded' });
  expect([openings(browser, 'late'), openings(browser, 'busy')]).toEqual([2, 1]);
});

test('a timeout of a page that is alone is its result', async () => {
  const failure = { status: 'no_slots', reason: 'took longer than 15 s', candidates: [], isLate: true } as const;
  const browser = new Browser({ late: async () => failure });
  expect(await take(browser, ['late'])).toEqual({ late: 'no_slots' });
  expect(browser.renewed).toBe(0);
});

test('a page without a slot is pictured once after its ads, and the failures stay if that fails or the page is lost', async () => {
  const results: PictureResult[] = [];
  const placed: string[] = [];
  const browser = new Browser({});
  const open = browser.open.bind(browser);
  const outcomes = new CreativeOutcomes();
  const film = async () => undefined;
  for (const ad of ['small', 'large'])
    outcomes.resolve(ad, {
      status: 'rendered',
      mode: 'still',
      isVideo: false,
      warnings: [],
      frame: async () => FRAME,
      film,
    });
  let isLost = false;
  let whilePictured = async (): Promise<void> => undefined;
  let stop = new AbortController();
  browser.open = async (site) => {
    const page = await open(site);
    const place = async () => {
      if (isLost && placed.length > 0) throw new Error('Target crashed');
      placed.push('place');
      return { status: 'no_slots' as const, reason: 'No slot.', candidates: [SLOT] };
    };
    const picture = { png: ONE_PIXEL, width: 1, height: 1, capturedAt: new Date(0), page: { width: 1, height: 1 } };
    const capture = async () => {
      placed.push('capture');
      await whilePictured();
      return picture;
    };
    return page.status === 'ready' ? { ...page, place, capture } : page;
  };
  const pictures = ['small', 'large'].map((ad) => ({ id: ad, ad, markerMs: null, options: DEFAULT_OPTIONS }));
  const run = () =>
    processPages([{ site: 'a', device: findDevice('desktop')!, otherAds: 'hide', pictures }], {
      ...{ engine: browser, outcomes, phases: new PhaseTimer(), log: TEST_LOG, maxOpenPages: 1 },
      ...{ stop: stop.signal, onOpening: () => undefined },
      onResult: async (result) => void results.push(result),
    });
  await run();
  expect(placed).toEqual(['place', 'place', 'capture']);
  expect(new Set(results.map((result) => 'page' in result && result.page)).size).toBe(1);
  expect(results[0]).toMatchObject({ status: 'no_slots', page: { png: ONE_PIXEL } });
  isLost = true;
  placed.length = 0;
  results.length = 0;
  await run();
  expect(placed).toEqual(['place']);
  expect(results.map(({ wanted, status }) => [wanted.id, status])).toEqual([
    ['small', 'no_slots'],
    ['large', 'generic_error'],
  ]);
  // The capture has little time left, so the failures do not wait for the picture.
  isLost = false;
  results.length = 0;
  stop = new AbortController();
  const pictured = Promise.withResolvers<void>();
  whilePictured = () => {
    stop.abort(new Error('The capture ends.'));
    return pictured.promise;
  };
  const ended = run();
  await vi.waitUntil(() => results.length === 2, 60_000);
  pictured.resolve();
  await ended;
  expect(results.map(({ wanted, status }) => [wanted.id, status])).toEqual([
    ['small', 'no_slots'],
    ['large', 'no_slots'],
  ]);
});

test('an engine that does not start ends the queue without waiting', async () => {
  const browser = new Browser({ waits: () => never });
  const open = browser.open.bind(browser);
  browser.open = async (site) => {
    if (site !== 'broken') return open(site);
    throw new EngineStartError('There is no Chromium.');
  };
  await expect(take(browser, ['waiting', 'broken', 'more'])).rejects.toThrow('There is no Chromium.');
  expect(browser.opened).not.toContain('more');
});

const SOON = { firstMs: 1, maxMs: 1 };

test('a page whose location is away for a moment is opened again, after the other pages', async () => {
  const browser = new Browser({ a: shows, away: shows, b: shows, c: shows });
  browser.awayFor['away'] = 7;
  const locationRetry = { until: Number.POSITIVE_INFINITY, pause: SOON };
  expect(await take(browser, ['a', 'away', 'b', 'c'], { locationRetry })).toEqual({
    ...{ a: 'uploaded', away: 'uploaded', b: 'uploaded', c: 'uploaded' },
  });
  expect(openings(browser, 'away')).toBe(8);
  expect(browser.opened.at(-1)).toBe('away');
  expect(browser.renewed).toBe(0);
});

test('a page whose location stays away fails when the time for it is over', async () => {
  const browser = new Browser({ away: shows });
  browser.awayFor['away'] = Number.POSITIVE_INFINITY;
  const locationRetry = { until: performance.now() + 50, pause: SOON };
  expect(await take(browser, ['away'], { locationRetry })).toEqual({ away: 'generic_error' });
  expect(openings(browser, 'away')).toBeGreaterThan(1);
});

test('a page whose location is unavailable fails at once without a time to wait', async () => {
  const browser = new Browser({ away: shows });
  browser.awayFor['away'] = 1;
  expect(await take(browser, ['away'])).toEqual({ away: 'generic_error' });
});
