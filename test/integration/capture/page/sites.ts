import type { IncomingMessage, ServerResponse } from 'node:http';
import sharp from 'sharp';
import { expect } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import type { OpenPage, Picture } from '../../../../src/capture/page/page.ts';
import { type PageOpenerOptions, startPageOpener } from '../../../../src/capture/page/pageOpener.ts';
import { type Device, findDevice } from '../../../../src/domain/devices.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';

export type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Pages on loopback by their path, under two origins. */
export interface Sites extends Listener {
  /** The same pages from another origin. */
  readonly other: string;
  put(path: string, answer: Answer): string;
  readonly asked: readonly string[];
}

export async function startSites(): Promise<Sites> {
  const pages = new Map<string, Answer>();
  const asked: string[] = [];
  const listener = await listenHttp((request, response) => {
    asked.push(request.url ?? '');
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const answer = pages.get(path) ?? '';
    if (typeof answer === 'function') return answer(request, response);
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(answer);
  });
  return Object.assign(listener, {
    other: `http://localhost:${listener.port}`,
    asked,
    put: (path: string, answer: Answer) => {
      pages.set(path, answer);
      return `${listener.url}${path}`;
    },
  });
}

export const CHROMIUM = findChromium(process.env['CHROMIUM_PATH']);

/** A busy machine needs seconds for a page, so a test that waits for a limit sets a shorter one itself. */
export function openerFor(options: Partial<PageOpenerOptions> = {}) {
  return startPageOpener({ chromiumPath: CHROMIUM, navigationTimeoutMs: 60_000, settleCapMs: 20_000, ...options });
}

export function device(name: string): Device {
  const found = findDevice(name);
  if (found === undefined) throw new Error(`no device is called ${name}`);
  return found;
}

/** An ad in which every pixel differs from its neighbors, as the renderer would hand it over. */
export async function ad(width: number, height: number, ratio = 1): Promise<CreativeFrame> {
  const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
  const data = Buffer.alloc(size.width * size.height * 3);
  for (let at = 0; at < data.length; at++) data[at] = (at * 2_654_435_761) >>> 24;
  const png = await sharp(data, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
  return { markerMs: null, ratio, png, width, height };
}

export async function pixelsOf(png: Buffer) {
  return sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}

/** The picture cut to the ad's box. */
export async function adIn({ png, adBox: { x, y, width, height } }: Picture) {
  return sharp(png).extract({ left: x, top: y, width, height }).removeAlpha().raw().toBuffer();
}

interface Outcome {
  readonly status: string;
  readonly reason?: string;
}

export function readyPage(page: Outcome): asserts page is OpenPage {
  expect(page.status, page.reason).toBe('ready');
}

export function placed(result: Outcome): asserts result is Picture {
  expect(result.status, result.reason).toBe('uploaded');
}
