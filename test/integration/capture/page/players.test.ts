/** Video ads in the video players of pages. */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdFrame, PageOpener, Picture } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS, type PlacementOptions } from '../../../../src/domain/screenshotOptions.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

const STORY = `<p>${'A story that readers come for. '.repeat(40)}</p>`;
const HEAD = '<meta name="viewport" content="width=device-width"><h1>A headline that says what happened here</h1>';
/** The controls of a player lie over its video. */
const PLAYER = `<div id="player" style="position:relative;width:640px;height:360px;margin:auto;background:#333">
  <video src="/none.mp4" style="width:100%;height:100%"></video>
  <button style="position:absolute;left:290px;top:150px;width:60px;height:60px">Play</button></div>`;
const SLOT = '<div id="div-gpt-ad-1" style="width:970px;height:250px"></div>';
const UNIT = '<div id="inread-1" class="ad-inread"></div>';

let sites: Sites;
let opener: PageOpener;
let pages = 0;

beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor();
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

async function video(): Promise<AdFrame> {
  const png = await sharp({ create: { width: 1280, height: 720, channels: 3, background: '#1a73e8' } })
    .png()
    .toBuffer();
  return { markerMs: 2_000, ratio: 1, png, width: 1280, height: 720, isVideo: true };
}

interface TakeOptions extends Partial<PlacementOptions> {
  readonly frame?: AdFrame;
  readonly on?: string;
  readonly otherAds?: 'keep';
}

async function take(body: string, { frame, on = 'desktop', otherAds, ...options }: TakeOptions = {}) {
  const url = sites.put(`/video-${pages++}`, `<!doctype html><body style="margin:0">${HEAD}${body}`);
  const open = await opener.open(url, device(on), otherAds && { otherAds });
  readyPage(open);
  const result = await open.place(frame ?? (await video()), { ...DEFAULT_OPTIONS, ...options });
  await open.close();
  return result;
}

async function shown(body: string, options: TakeOptions = {}): Promise<Picture> {
  const result = await take(body, options);
  placed(result);
  return result;
}

async function colourIn({ png, adBox }: Picture, [x, y]: readonly [number, number]): Promise<string> {
  const spot = { left: adBox.x + Math.round(adBox.width * x), top: adBox.y + Math.round(adBox.height * y) };
  const pixel = await sharp(png)
    .extract({ ...spot, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return pixel.toString('hex');
}

test('a video fills the player of the page, over its controls, rather than a slot for ads', async () => {
  const picture = await shown(PLAYER + STORY + SLOT + STORY);
  expect(picture.chosen).toMatchObject({ element: '#player', kind: 'in_stream' });
  expect(picture).toMatchObject({ scale: 0.5, adBox: { width: 640, height: 360 }, warnings: [] });
  expect(await colourIn(picture, [0.5, 0.5])).toBe('1a73e8');
  expect(await colourIn(picture, [0.03, 0.9])).toBe('fcc934');
});

test.each([
  [
    'a frame of a video site',
    '<iframe id="player" width="560" height="315" style="border:0" src="https://www.youtube.com/embed/x"></iframe>',
    560,
    315,
  ],
  [
    'a box whose padding gives it its height',
    '<div id="player" style="position:relative;width:640px;padding-top:360px"><video src="/none.mp4" style="position:absolute;inset:0;width:100%;height:100%"></video></div>',
    640,
    360,
  ],
])('a video is shown in %s', async (_what, player, width, height) => {
  const picture = await shown(player + STORY);
  expect(picture.chosen.element).toBe('#player');
  expect(picture.adBox).toMatchObject({ width, height });
  expect(await colourIn(picture, [0.5, 0.5])).toBe('1a73e8');
});

test('a display ad never goes into a player or what lies over it', async () => {
  const overlay =
    '<div id="ad-overlay" class="ad" style="position:absolute;left:0;top:0;width:300px;height:250px"></div>';
  const body = PLAYER.replace('</div>', `${overlay}</div>`) + STORY;
  const frame = await ad(300, 250);
  expect(await take(body, { frame })).toMatchObject({ status: 'no_slots', reason: 'The page has no ad slot.' });
  expect(
    (await shown(`${body}<div id="div-gpt-ad-2" style="width:300px;height:250px"></div>`, { frame })).chosen.element,
  ).toBe('#div-gpt-ad-2');
});

test('a video without a player is shown in an outstream unit as wide as the text', async () => {
  const picture = await shown(`<article style="width:600px">${STORY}${UNIT}${STORY}</article>${SLOT}`);
  expect(picture.chosen).toMatchObject({ element: '#inread-1', kind: 'video' });
  expect(picture).toMatchObject({ adBox: { width: 600, height: 337 }, warnings: [] });
});

test.each([
  ['no player', ''],
  ['only a moving background', '<video autoplay muted loop src="/none.mp4" style="width:640px;height:360px"></video>'],
])('on a page with %s, a video is shrunk into a display slot, with a warning', async (_what, other) => {
  const picture = await shown(other + STORY + SLOT + STORY);
  expect(picture.chosen.element).toBe('#div-gpt-ad-1');
  const message = 'The page has no video player, so the video is shown in a display slot.';
  expect(picture.warnings).toContainEqual({ code: 'slot_uncertain', message });
});

test('a video of the size of a rectangle stays in its display slot', async () => {
  const frame = { ...(await ad(300, 250)), isVideo: true };
  const rectangle = '<div id="div-gpt-ad-3" style="width:300px;height:250px"></div>';
  expect((await shown(PLAYER + STORY + rectangle, { frame })).chosen.element).toBe('#div-gpt-ad-3');
  expect((await shown(PLAYER + STORY, { frame })).chosen.element).toBe('#player');
});

test('the record shows the chosen player as one that takes the ad', async () => {
  const { chosen, candidates } = await shown(PLAYER + STORY + SLOT + STORY);
  expect(candidates.map(({ element }) => element)).toEqual(['#div-gpt-ad-1', '#player']);
  expect(candidates[1]).toMatchObject({ likelihood: 1, reasons: ['a video player of the page'] });
  expect(candidates[1]?.problem).toBeUndefined();
  expect(chosen).toEqual(candidates[1]);
});

const RECTANGLE = '<div id="div-gpt-ad-9" style="width:300px;height:250px"></div>';

test.each([
  [
    'the first screen of a page that is not higher than it, as its box says',
    `<style>html, body, #root { height: 100% }</style><div id="root"><video src="/none.mp4" autoplay muted style="width:100%;height:100vh"></video>${STORY}${RECTANGLE}</div>`,
  ],
  [
    'an ad of the page',
    `<div class="ad-slot"><video src="/none.mp4" style="width:300px;height:250px"></video></div>${STORY}${RECTANGLE}`,
  ],
])('a video in %s takes no slot away', async (_what, body) => {
  expect((await shown(body, { frame: await ad(300, 250) })).chosen.element).toBe('#div-gpt-ad-9');
});

test('a slot whose ad is a video in a frame stays a slot, and its video is no player', async () => {
  const inner = sites.put('/inner', '<!doctype html><video src="/none.mp4" style="width:300px;height:250px"></video>');
  const body = `${STORY}<div class="adthrive-ad" id="net"><iframe src="${inner}" style="width:300px;height:250px;border:0"></iframe></div>${STORY}`;
  const { chosen } = await shown(body, { frame: await ad(300, 250), otherAds: 'keep' });
  expect(chosen).toMatchObject({ kind: 'display', box: { width: 300, height: 250 } });
});

test('a player in a shadow root is one player', async () => {
  const host = `<my-player id="host" style="display:block;width:640px;height:360px"></my-player>
    <script>document.querySelector('my-player').attachShadow({ mode: 'open' }).innerHTML =
      '<div style="width:640px;height:360px"><video src="/none.mp4" style="width:100%;height:100%"></video></div>'</script>`;
  const picture = await shown(host + STORY);
  expect(picture.candidates).toHaveLength(1);
  expect(await colourIn(picture, [0.5, 0.5])).toBe('1a73e8');
});

test('a display ad in a player that the client chose is in its center, as in any slot', async () => {
  const { adBox, chosen } = await shown(PLAYER + STORY, { frame: await ad(300, 250), slot: { selector: '#player' } });
  expect(adBox.x - chosen.box.x).toBe(170);
});

test('on a phone, the player of a page for desktops shows the video', async () => {
  const body = `<div style="width:900px">${PLAYER}${STORY}</div>`;
  expect((await shown(body, { on: 'mobile' })).chosen.element).toBe('#player');
});

test('a page whose player cannot show the video says why', async () => {
  const body = PLAYER.replace('640px', '1400px').replace('360px', '1000px') + STORY;
  const reason = expect.stringContaining('The only ad slot of the page cannot hold an ad of 1280×720: #player: ');
  expect(await take(body)).toMatchObject({ status: 'no_slots', reason });
  expect(await take(STORY)).toMatchObject({ reason: 'The page has no video player and no ad slot.' });
});

test('a player is chosen by its number in the record', async () => {
  const small = PLAYER.replace('id="player"', 'id="second"').replace('640px', '480px').replace('360px', '270px');
  const { candidates } = await shown(PLAYER + STORY + small);
  const index = candidates.findIndex(({ element }) => element === '#second') + 1;
  const picture = await shown(PLAYER + STORY + small, { slot: { index } });
  expect(picture).toMatchObject({ chosen: { element: '#second' }, adBox: { width: 480, height: 270 } });
});

test('a player that the client chose for a display ad is refused with the reason', async () => {
  const cut = `<div style="height:200px;overflow:hidden"><h2>Watch</h2>${PLAYER}</div>${STORY}`;
  const result = await take(cut, { frame: await ad(300, 250), slot: { index: 1 } });
  const reason = expect.stringMatching(/^The chosen slot cannot hold an ad of 300×250: #player: only \d+ % /);
  expect(result).toMatchObject({ status: 'no_slots', reason });
});
