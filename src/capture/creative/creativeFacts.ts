/** Measures what ad servers check of an HTML creative: in one pass of its own after all frames, which costs no picture. */
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { type Exit, LISTED_MAX, MOTION_MS, type NotMeasured, type PageFacts } from '../../contract/creativeFacts.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import type { Size } from './creative.ts';
import { MP4, type OpenedSite, withoutAudio } from './creativeServer.ts';
import { FrameGrid, LateFrameError } from './frameGrid.ts';
import { pixelsOf } from './imageSize.ts';
import { isOwnFile, readableAddress, shownFonts } from './loadWarnings.ts';
import { decodedAddress, decodeText } from './markup.ts';
import type { PreparedPage } from './prepare.ts';
import { waitForLoad } from './renderPage.ts';

/** The value that stands for the landing page. No such host exists. */
const CLICK_TAG = 'https://clicktag.example/landing';
/** The ad server sets the landing page in these, or an app opens it. */
const EXIT_LIBRARY = /\/(?:Enabler|EBLoader|adkit|Adform\.DHTML|html5API|screenad_|exitapi|mraid)[\w.]*\.js/i;
const CLICK_TAG_QUERY = `?clickTag=${encodeURIComponent(CLICK_TAG)}`;
const CLICK_TAGS = ['clickTag', 'clickTAG', 'clicktag', 'ClickTag', 'clickTag1'];
const SET_CLICK_TAGS = CLICK_TAGS.map((name) => `window.${name} = ${JSON.stringify(CLICK_TAG)};`).join('');

const MAX_REQUESTS = 2_000;
/** A larger file is weighed as it is, and not searched. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const SAMPLE_MS = 500;
/** Less says nothing about the processor, whose time has steps of 10 ms. */
const LEAST_WATCHED_MS = 5_000;
/** Real time for the click, after the motion. */
const EXIT_MS = 7_000;
/** The page's own time for a click to open something. */
const CLICK_MS = 600;
const TEXT_FILE = /\.(?:x?html?|css|m?js|json|svg|xml|txt|ttf|otf|eot)$/i;
const CODE_FILE = /\.(?:x?html?|css|m?js|json|svg)$/i;
/** Ad servers read them. */
const MANIFEST = /(?:^|\/)(?:manifest\.js(?:on)?|config\.xml|ADFBannerProperties\.xml)$/i;
/** Written in place of the landing page for an ad server that replaces it, such as {CLICK_MACRO}, %%CLICK_URL%% and [clickTag]. */
const MACRO = /^(?:\$?\{.*\}|%%.*%%|\[.*\])/;
const BACKUP = /\.(?:gif|jpe?g|png)$/i;
/** A pixel that is at least as light looks white on a page. */
const WHITE = 245;

interface SeenRequest {
  readonly url: string;
  readonly isInitial: boolean;
  bytes: number;
}

/** Listens to a page from before it opens. */
class CreativeWatch {
  readonly #page: SteppedPage;
  readonly #requests = new Map<string, SeenRequest>();
  readonly errors: PageFacts['errors'] = [];
  #isClicked = false;
  #opened: { readonly address: string; readonly new_window: boolean } | undefined;

  constructor(page: SteppedPage) {
    this.#page = page;
    const { session } = page;
    session.on('Page.windowOpen', ({ url }) => this.#open(url, true));
    session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type, redirectResponse }) => {
      if (this.#isClicked && type === 'Document') this.#open(url, false);
      if (this.#isClicked || /^(?:data|blob|about):/.test(url) || this.#requests.size === MAX_REQUESTS) return;
      const key = redirectResponse === undefined ? requestId : `${requestId} ${url}`;
      this.#requests.set(key, { url, isInitial: page.loadedAt === undefined, bytes: 0 });
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const request = this.#requests.get(requestId);
      if (request !== undefined) request.bytes = encodedDataLength;
    });
    session.on('Runtime.exceptionThrown', ({ exceptionDetails: { exception, text, url = '' } }) => {
      if (this.#isClicked || this.errors.length === LISTED_MAX) return;
      const [message = text] = (exception?.description ?? text).split('\n');
      this.errors.push({ message: message.slice(0, 500), file: readableAddress(url), second: page.now / 1000 });
    });
  }

  requests(): readonly SeenRequest[] {
    return [...this.#requests.values()];
  }

  /**
   * Takes the network away first, so that whatever a click does, no request leaves the browser.
   * @returns the address that a click opened.
   */
  async click({
    width,
    height,
  }: Size): Promise<{ readonly address: string; readonly new_window: boolean } | undefined> {
    const { session } = this.#page;
    const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await session.send('Network.emulateNetworkConditions', offline);
    this.#isClicked = true;
    const found = (await this.#page.inCreative(buttons)) ?? [];
    // A video may cover the middle of an ad whose background is a link.
    const points = [{ x: width / 2, y: height / 2 }, ...found, { x: 4, y: height - 4 }];
    for (const { x, y } of points) {
      const at = { x, y, button: 'left', clickCount: 1 } as const;
      // It is answered when the page has drawn.
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'] as const)
        session.send('Input.dispatchMouseEvent', { ...at, type }).catch((error: unknown) => void error);
      for (let ms = 0; ms < CLICK_MS && this.#opened === undefined; ms += CLICK_MS / 6) {
        await this.#page.wait(CLICK_MS / 6);
        await this.#page.draw();
      }
      if (this.#opened !== undefined) break;
    }
    return this.#opened;
  }

  #open(address: string, new_window: boolean): void {
    if (this.#isClicked && !address.startsWith('about:')) this.#opened ??= { address, new_window };
  }
}

/** Opens a creative as an ad server would show it, and measures it. @param endsAt the deadline, as `performance.now()` tells it. */
export async function measurePage(
  page: SteppedPage,
  given: { creative: PreparedPage; size: Size; looksAtEachFrame: boolean; endsAt: number },
): Promise<PageFacts> {
  const { creative, size } = given;
  const { site } = creative;
  const watch = new CreativeWatch(page);
  await page.session.send('Page.addScriptToEvaluateOnNewDocument', { source: SET_CLICK_TAGS });
  await page.session.send('Runtime.enable');
  await page.session.send('Performance.enable');
  await page.navigate(creative.open(size, CLICK_TAG_QUERY));
  await waitForLoad(page);
  const [began, processor] = [page.now, await processorMs(page)];
  const motion = await attempt(() => lastMotion(page, given));
  const watchedMs = page.now - began;
  const load = ((await processorMs(page)) - processor) / watchedMs;
  const isStyled = page.requests.failures.every(({ type }) => type !== 'Font' && type !== 'Stylesheet');
  // Without a font that did not load, the text is in one of the device.
  const fonts = (isStyled && (await page.inCreative(shownFonts))?.system) || [];
  const sound = (await page.inCreative(mediaWithSound)) ?? [];
  // The page around the creative is not part of it.
  const requests = watch.requests().slice(creative.framed ? 1 : 0);
  const initial = requests.filter(({ isInitial }) => isInitial);
  const weigh = (some: readonly SeenRequest[]) => some.reduce((sum, one) => sum + weightOf(one, site), 0);
  const foreign = requests.map(({ url }) => url).filter((url) => !isOwnFile(url));
  const declared = creative.claims.declared.find(({ from }) => from === 'the ad.size meta element');
  const failures = page.requests.failures.filter(({ url, outcome }) => isOwnFile(url) && 'status' in outcome);
  const code = codeOf(site);
  const exit = await attempt(async (): Promise<Exit> => {
    const opened = await watch.click(size);
    if (opened === undefined) return { address: null, by: null, new_window: true };
    const loaded = watch.requests().map(({ url }) => url);
    return { ...opened, address: readableAddress(opened.address), by: exitBy(opened.address, code, loaded) };
  });
  return {
    load: {
      ...{ initial_bytes: weigh(initial), total_bytes: weigh(requests) },
      ...{ initial_requests: initial.length, requests: requests.length },
    },
    hosts: listed(foreign.map((url) => new URL(url).host)),
    insecure: listed(foreign.filter((url) => isInsecure(url, site && code)).map(readableAddress)),
    declared_size: declared?.size ?? null,
    errors: watch.errors,
    sound: listed(sound.filter((url) => hasSound(url, site)).map(readableAddress)),
    system_fonts: listed(fonts),
    motion,
    ...(watchedMs > LEAST_WATCHED_MS && { processor_load: Math.round(load * 100) / 100 }),
    exit,
    zip: site ? await zipFacts(site, size, listed(failures.map(({ url }) => readableAddress(url)))) : null,
  };
}

const listed = (all: readonly string[]) => [...new Set(all)].slice(0, LISTED_MAX);

async function attempt<T>(measure: () => Promise<T>): Promise<T | NotMeasured> {
  try {
    return await measure();
  } catch (error) {
    if (error instanceof LateFrameError) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { not_measured: isLate ? 'it took too long.' : errorMessage(error) };
  }
}

function fileOf(url: string, site: OpenedSite | undefined) {
  const name = (isOwnFile(url) && site?.find(new URL(url).pathname)) || '';
  return { name, bytes: site?.files.get(name) };
}

function weightOf(request: SeenRequest, site: OpenedSite | undefined): number {
  const { name, bytes } = fileOf(request.url, site);
  if (bytes === undefined) return request.bytes;
  return TEXT_FILE.test(name) && bytes.length <= MAX_TEXT_BYTES ? gzipSync(bytes).length : bytes.length;
}

/** The server hides the sound of the videos in a zip, so their files tell whether they have any. */
function hasSound(url: string, site: OpenedSite | undefined): boolean {
  const { name, bytes } = fileOf(url, site);
  return bytes === undefined || !MP4.test(name) || !withoutAudio(bytes).equals(bytes);
}

/** Runs in the creative's document. @returns the URLs of media that would begin with sound by themselves. */
function mediaWithSound(): string[] {
  const media = [...document.querySelectorAll<HTMLMediaElement>('video, audio')];
  const loud = media.filter(({ muted, volume, autoplay, paused }) => !muted && volume > 0 && (autoplay || !paused));
  return loud.map(({ currentSrc, src }) => (currentSrc || src).slice(0, 2_000)).filter((url) => url !== '');
}

/** Runs in the creative's document. @returns the middles of what looks as if a click did something, links and buttons first. */
function buttons(): { x: number; y: number }[] {
  const [MAX_ELEMENTS, MAX_BUTTONS] = [2_000, 3];
  const all = [...document.querySelectorAll('*')].slice(0, MAX_ELEMENTS);
  const isPointer = (one: Element | null) => one !== null && getComputedStyle(one).cursor === 'pointer';
  const links = all.filter((one) => one.matches('a[href], area, button, [onclick]'));
  // Elements inside inherit the pointer.
  const others = all.filter((one) => isPointer(one) && !isPointer(one.parentElement));
  const boxes = [...new Set([...links, ...others])].map((one) => one.getBoundingClientRect());
  const middles = boxes.map(({ x, y, width, height }) => ({
    x: x + width / 2,
    y: y + height / 2,
    area: width * height,
  }));
  const inside = middles.filter(({ x, y, area }) => area > 0 && x > 0 && y > 0 && x < innerWidth && y < innerHeight);
  return inside.slice(0, MAX_BUTTONS);
}

/** @returns the share of the pixels at the edge that look white. */
export async function whiteEdge(png: Buffer): Promise<number> {
  const grey = sharp(png).removeAlpha().toColourspace('b-w').raw();
  const { data, info } = await grey.toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const edge = data.filter((_, at) => at < width || at >= width * (height - 1) || (at + 1) % width < 2);
  return edge.filter((level) => level >= WHITE).length / edge.length;
}

/** Compares pictures until {@link MOTION_MS}. A canvas that is drawn again without a change does not move. */
async function lastMotion(
  page: SteppedPage,
  { looksAtEachFrame, endsAt }: { looksAtEachFrame: boolean; endsAt: number },
): Promise<{ seconds: number }> {
  if (page.clock === 'wall') throw new Error('the ad runs only in real time.');
  const grid = new FrameGrid(page, looksAtEachFrame);
  let [last, lastAt, movedUntil, isDamaged]: [Buffer | undefined, number, number, boolean] = [undefined, 0, 0, true];
  while (grid.time < MOTION_MS) {
    if (performance.now() > endsAt - EXIT_MS) throw new Error('the ad draws too slowly to watch it for 30 s.');
    const isSample = isDamaged && grid.isFixed && grid.time >= lastAt + SAMPLE_MS;
    const { damage, picture } = await grid.draw(isSample);
    isDamaged ||= damage;
    if (picture !== undefined && isSample) {
      if (last !== undefined && !last.equals(picture)) movedUntil = lastAt;
      [last, lastAt, isDamaged] = [picture, grid.time, false];
    }
    await grid.next();
  }
  return { seconds: Math.round(movedUntil / 100) / 10 };
}

/** @returns the processor time of the page's process so far. Other work of the machine does not count. */
async function processorMs(page: SteppedPage): Promise<number> {
  const { metrics } = await page.session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? 0);
}

/** @returns the texts of the files of a zip that may have code. */
function codeOf(site: OpenedSite | undefined): string[] {
  return [...(site?.files ?? [])]
    .filter(([name, { length }]) => CODE_FILE.test(name) && length <= MAX_TEXT_BYTES)
    .map(([, bytes]) => decodeText(bytes));
}

/** The origin of a zip has http, but an ad server has https, so an address without a scheme is not insecure. */
function isInsecure(url: string, code: readonly string[] | undefined): boolean {
  if (!url.startsWith('http:')) return false;
  return code?.some((text) => text.replaceAll('\\/', '/').includes(`http://${new URL(url).host}`)) ?? true;
}

/** @param code of the creative. @param loaded the URLs that it loaded. */
export function exitBy(address: string, code: readonly string[], loaded: readonly string[]): Exit['by'] {
  if (decodedAddress(address).includes(new URL(CLICK_TAG).host) || MACRO.test(readableAddress(address)))
    return 'click_tag';
  // Campaign Manager 360 replaces the literal of the variable.
  const isReplaced = code.some((text) => {
    const literals = text.matchAll(/clicktag\d?["']?\s{0,5}[=:]\s{0,5}["'`]([^"'`\s]{4,500})/gi);
    return [...literals].some(([, literal = '']) => address.startsWith(literal));
  });
  if (isReplaced) return 'click_tag';
  return loaded.some((url) => EXIT_LIBRARY.test(url)) ? 'library' : 'hard_coded';
}

async function zipFacts(site: OpenedSite, size: Size, missing: readonly string[]): Promise<PageFacts['zip']> {
  const unused = [...site.files].filter(([name]) => !site.used.has(name) && !MANIFEST.test(name));
  const scales = [1, 2, 3].map((scale) => ({ width: size.width * scale, height: size.height * scale }));
  let backup: string | null = null;
  for (const [name, bytes] of unused.filter(([file]) => BACKUP.test(file)).slice(0, LISTED_MAX)) {
    const pixels = await pixelsOf(bytes);
    if (pixels && scales.some(({ width, height }) => width === pixels.width && height === pixels.height))
      backup ??= name;
  }
  const rest = unused.filter(([name]) => name !== backup).map(([file, bytes]) => ({ file, bytes: bytes.length }));
  return {
    files: site.files.size,
    unused: rest.toSorted((a, b) => b.bytes - a.bytes).slice(0, LISTED_MAX),
    missing: [...missing],
    backup_image: backup,
  };
}
