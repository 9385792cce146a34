/** The plan of the demo: every creative with its sites, devices, markers and expected results. */
import { CREATIVES, type Creative } from '../../test/fixtures/media/creatives.ts';
import type { PageName, Publishers } from '../../test/fixtures/publisherServer.ts';

export interface Wanted {
  readonly page: PageName;
  readonly device: string;
  /** Markers in seconds; empty for the default frame. */
  readonly markers?: readonly number[];
  /** Expected status on this page; `uploaded` unless given. */
  readonly status?: string;
}

const on = (page: PageName, device: string, more: Omit<Wanted, 'page' | 'device'> = {}): Wanted => ({
  page,
  device,
  ...more,
});

/** Keyed by the creative's brand, which is the end of its key. */
const PLAN: Readonly<Record<string, readonly Wanted[]>> = {
  fernway: [on('news', 'desktop'), on('consent', 'desktop')],
  marlow: [
    on('neverAnswers', 'desktop', { status: 'net_read_timeout' }),
    on('noSlots', 'desktop', { status: 'no_slots' }),
    on('blocked', 'desktop', { status: 'blocked' }),
    on('notFound', 'desktop', { status: 'not_found' }),
    on('news', 'desktop'),
    on('blog', 'Apple iPhone X'),
  ],
  orbit: [on('blog', 'desktop', { markers: [0, 1, 2.5] })],
  kestrel: [on('news', 'desktop')],
  solara: [on('blog', 'desktop')],
  lumen: [on('prebid', 'desktop', { markers: [0, 1, 2.5] })],
  tidepool: [on('crossOrigin', 'desktop', { markers: [2.5] })],
  larkspur: [on('article', 'desktop', { markers: [1] }), on('article', 'tablet', { markers: [1] })],
  brightwell: [on('belowFold', 'mobile', { markers: [2.5] })],
  halden: [on('mobileOnly', 'iphone', { markers: [0, 2.5] }), on('collapsed', 'desktop'), on('consent', 'desktop')],
  pocketful: [on('article', 'mobile'), on('news', 'iphone')],
  wildgrain: [on('prebid', 'desktop')],
  atlas: [on('sticky', 'Google Pixel 4'), on('neverIdle', 'desktop')],
  cobalt: [on('amp', 'mobile'), on('blog', 'Apple iPhone X')],
};

export interface PlannedAd {
  readonly creative: Creative;
  readonly places: readonly Wanted[];
}

/** Sites that fail, first in the order: the demo waits for one of them. */
export function planOf(): PlannedAd[] {
  const plan = CREATIVES.map((creative) => {
    const brand = creative.key.split('-').at(-1) ?? '';
    const places = PLAN[brand];
    if (places === undefined) throw new Error(`The demo has no place for the creative ${creative.key}.`);
    return { creative, places };
  });
  const fails = ({ places }: PlannedAd) => places.some(({ status }) => status !== undefined);
  return [...plan.filter(fails), ...plan.filter((ad) => !fails(ad))];
}

/** The body of the screenshot request. */
export function requestOf(plan: readonly PlannedAd[], publishers: Publishers, webhook: string) {
  return {
    campaign: { name: 'Tearsheet demo' },
    screenshot_requests: plan.map(({ creative, places }) => ({
      ad: {
        lookup_key: creative.key,
        name: creative.name,
        media: { type: creative.type, content: creative.content(publishers.cdn) },
      },
      screenshots: places.map(({ page, device, markers = [] }) => ({
        site: { url: publishers.url(page) },
        device: { name: device },
        options: { ad: { frames: markers.map((marker) => ({ marker })) } },
      })),
    })),
    subscribers: [{ webhook: { url: webhook } }],
    instructions: 'Made by the demo: the pictures are checked by their pixels.',
  };
}
