import sharp from 'sharp';
import { expect } from 'vitest';
import type { OpenOptions, PageOpener, Picture, PlacementFailure } from '../../../../src/capture/page/page.ts';
import type { PageOpenerOptions } from '../../../../src/capture/page/pageOpener.ts';
import { DEFAULT_OPTIONS, type ScreenshotOptions } from '../../../../src/domain/screenshotOptions.ts';
import { ad, adIn, device, openerFor, pixelsOf, placed, readyPage, type Sites, startSites } from './sites.ts';

export const STORY = '<p>A story about ships that fills the page around the ad with some lines of text.</p>'.repeat(8);
export const PHONE = '<meta name="viewport" content="width=device-width, initial-scale=1">';
/** A phone with as many pixels as CSS pixels: its pictures take a third less time than those of a sharper screen. */
export const SMALL_PHONE = 'Own device 375 x 667, 1x, touch, Test/1.0';
export const SLOT = '<div id="div-gpt-ad-1" style="width:300px;height:250px;margin:auto"></div>';
/** Recognizable parts of a page are drawn in this color, `#123`. */
const COLOUR = [0x11, 0x22, 0x33] as const;

export interface PictureOptions extends Partial<ScreenshotOptions> {
  /** Default: a rectangle of 300×250. */
  readonly size?: readonly [width: number, height: number];
}

type Taken = Promise<{ result: Picture | PlacementFailure; png: Buffer }>;

/** An open page. */
export interface PicturedPage {
  /** Places an ad in it. */
  take(options?: PictureOptions): Taken;
  /** Takes the picture and compares the ad's pixels. */
  wholeAd(options?: PictureOptions): Promise<Picture>;
  close(): Promise<void>;
}

export interface Pictures {
  readonly sites: Sites;
  readonly opener: PageOpener;
  /** Opens a page with this body, for several pictures. */
  open(body: string, name: string, options?: OpenOptions): Promise<PicturedPage>;
  /** Places an ad in a page with this body. */
  take(body: string, name: string, options?: PictureOptions): Taken;
  /** Takes the picture and compares the ad's pixels. */
  wholeAd(body: string, name: string, options?: PictureOptions): Promise<Picture>;
  close(): Promise<void>;
}

export async function startPictures(opening: Partial<PageOpenerOptions> = {}): Promise<Pictures> {
  const sites = await startSites();
  const opener = await openerFor(opening);
  let pages = 0;
  const open: Pictures['open'] = async (body, name, options) => {
    const url = sites.put(`/whole-${pages++}`, `<!doctype html><body style="margin:0">${body}`);
    const page = await opener.open(url, device(name), options);
    readyPage(page);
    const take: PicturedPage['take'] = async ({ size: [width, height] = [300, 250], ...given } = {}) => {
      const { otherAds: _, ...placement } = { ...DEFAULT_OPTIONS, ...given };
      const frame = await ad(width, height, device(name).ratio);
      return { result: await page.place(frame, placement), png: frame.png };
    };
    return {
      take,
      wholeAd: async (given) => {
        const { result, png } = await take(given);
        placed(result);
        expect(result.scale).toBe(1);
        expect((await adIn(result)).equals((await pixelsOf(png)).data)).toBe(true);
        return result;
      },
      close: () => page.close(),
    };
  };
  const once = async <T>(
    [body, name, options = {}]: Parameters<Pictures['take']>,
    work: (page: PicturedPage) => Promise<T>,
  ): Promise<T> => {
    const page = await open(body, name, { otherAds: options.otherAds ?? DEFAULT_OPTIONS.otherAds });
    const taken = await work(page);
    await page.close();
    return taken;
  };
  return {
    sites,
    opener,
    open,
    take: (...given) => once(given, (page) => page.take(given[2])),
    wholeAd: (...given) => once(given, (page) => page.wholeAd(given[2])),
    close: async () => {
      await opener.close();
      await sites.close();
    },
  };
}

/** Whether the picture contains this color outside of the ad. */
export async function contains(
  picture: Picture,
  [red, green, blue]: readonly [number, number, number] = COLOUR,
): Promise<boolean> {
  const { x, y, width, height } = picture.adBox;
  const patch = { create: { width, height, channels: 3, background: '#fff' } } as const;
  const { data } = await sharp(picture.png)
    .composite([{ input: patch, left: x, top: y }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 3)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) return true;
  return false;
}

export const codes = ({ warnings }: Picture) => warnings.map(({ code }) => code);
