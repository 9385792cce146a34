import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreativeFrame, RenderedCreative, RenderRequest } from '../../../../src/capture/creative/creative.ts';
import { findingsOf } from '../../../../src/contract/creativeCheck.ts';
import { CreativeFacts } from '../../../../src/contract/creativeFacts.ts';
import { cmykJpeg, halves } from '../../../support/oddImages.ts';
import { colourAt, file, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

/** At marker 0, because the search for a default frame runs for at least 15 s of a creative's time. */
const rendered: TestRenderer['rendered'] = (source, request) => renderer.rendered(source, { markers: [0], ...request });

const media = (name: string) => readFile(new URL(`../../../fixtures/creatives/${name}`, import.meta.url));
/** The dark row saves the search for a later picture, which follows if all pictures have one color. */
const edged = (width: number, height: number) => red(width, height - 1).extend({ bottom: 1, background: '#300' });
const red = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#f00' } });
const page = (body: string) =>
  `<!doctype html><html><head><meta name="ad.size" content="width=300,height=250"></head><body style="margin:0">${body}</body></html>`;
/** The letter saves the search for a later picture, which follows if all pictures have one color. */
const box = (colour: string, width = 300, height = 250) =>
  `<div style="width:${width}px;height:${height}px;background:${colour}">A</div>`;

describe('an image', () => {
  it.each([
    ['PNG', () => red(300, 250).png().toBuffer()],
    ['WebP', () => red(300, 250).webp({ lossless: true }).toBuffer()],
    ['GIF', () => red(300, 250).gif().toBuffer()],
    ['JPEG', () => red(300, 250).jpeg({ quality: 100 }).toBuffer()],
    ['AVIF', () => red(300, 250).avif({ lossless: true }).toBuffer()],
  ])('an image in the format %s is captured at its own size, at every pixel ratio and marker', async (_, make) => {
    const source = renderer.put('/image', { type: 'application/octet-stream', body: await make() });
    const result = await rendered(source, { markers: [null, 0, 1_000], ratios: [1, 2.625] });
    expect(result).toMatchObject({ format: 'image', category: 'display', width: 300, height: 250, mode: 'still' });
    expect(result.frames.map(({ markerMs, ratio }) => [markerMs, ratio])).toEqual([
      [null, 1],
      [0, 1],
      [1_000, 1],
      [null, 2.625],
      [0, 2.625],
      [1_000, 2.625],
    ]);
    const large = await sharp(result.frames.at(-1)?.png).metadata();
    expect([large.width, large.height]).toEqual([788, 656]);
    const [r = 0, g = 255, b = 255] = await colourAt(result.frames[0]);
    expect(r).toBeGreaterThan(250);
    expect(Math.max(g, b)).toBeLessThan(5);
  });

  it.each([
    ['a CMYK JPEG without a profile', () => cmykJpeg({ hasProfile: false, transform: 0 })],
    ['a JPEG with an orientation', () => halves().withMetadata({ orientation: 3 }).jpeg({ quality: 100 }).toBuffer()],
  ])('%s looks as in a browser', async (_, make) => {
    renderer.put('/odd', { type: 'image/jpeg', body: await make() });
    const shown = await rendered({ kind: 'url', content: `${renderer.base}/odd` });
    expect(shown).toMatchObject({ format: 'image', width: 300, height: 250 });
    const inPage = await rendered(file('a.html', page(`<img src="${renderer.base}/odd">`)));
    for (const x of [50, 150, 250])
      expect(await colourAt(shown.frames[0], { x, y: 100 })).toEqual(await colourAt(inPage.frames[0], { x, y: 100 }));
  });

  it('a transparent image gets a white background', async () => {
    const clear = await sharp({ create: { width: 10, height: 10, channels: 4, background: '#0000' } })
      .png()
      .toBuffer();
    expect(await colourAt((await rendered(file('a.png', clear))).frames[0])).toEqual([255, 255, 255]);
  });

  it('an SVG image is drawn by the browser at its own size', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 50"><rect width="320" height="50" fill="#00f"/><rect width="9" height="9"/></svg>';
    const result = await rendered(file('a.svg', svg), { ratios: [1, 2] });
    expect(result).toMatchObject({ format: 'image', width: 320, height: 50 });
    expect(await colourAt(result.frames[1])).toEqual([0, 0, 255]);
    expect(await sharp(result.frames[1]?.png).metadata()).toMatchObject({ width: 640, height: 100 });
  });
});

/** Grey of `greys.*` at a moment; see the README beside them. */
const grey = (seconds: number) => Math.round((40 + 1.5 * Math.min(99, Math.floor(seconds * 25)) - 16) * (255 / 219));

describe.each(['greys.mp4', 'greys.webm'])('the video %s', (name) => {
  it(`the video ${name} shows the frame of each marker, its last frame after its end, and by default the frame at a quarter`, async () => {
    const markers = [0, 500, 1_020, 2_980, 30_000];
    const result = await rendered(file(name, await media(name)), { markers: [...markers, null] });
    expect(result).toMatchObject({ format: 'video', category: 'video', width: 160, height: 120, mode: 'stepped' });
    const expected = [...markers.map((marker) => grey(marker / 1_000)), grey(1)];
    const greys = (await Promise.all(result.frames.map((frame) => colourAt(frame)))).map(([level]) => level ?? 0);
    for (const [index, level] of greys.entries())
      expect(Math.abs(level - (expected[index] ?? 0)), `marker ${index}: ${greys} for ${expected}`).toBeLessThanOrEqual(
        name.endsWith('webm') ? 2 : 1,
      );
  });
});

describe('a video at a requested size', () => {
  it('a video of other proportions has black bars, with a warning', async () => {
    const bytes = await media('greys.mp4');
    const result = await rendered(file('v.mp4', bytes), {
      markers: [0, 1_000],
      size: { width: 300, height: 100 },
    });
    expect([result.width, result.height]).toEqual([300, 100]);
    expect(result.warnings).toMatchObject([
      { code: 'size_conflict', message: expect.stringContaining('160×120 pixels. At the requested size 300×100') },
    ]);
    for (const [index, second] of [0, 1].entries()) {
      const frame = result.frames[index];
      expect(await colourAt(frame, { x: 20, y: 50 })).toEqual([0, 0, 0]);
      expect(Math.abs(((await colourAt(frame))[0] ?? 0) - grey(second))).toBeLessThanOrEqual(1);
    }
  });

  it('a video of the same proportions fills the size without a warning', async () => {
    const bytes = await media('greys.mp4');
    const result = await rendered(file('v.mp4', bytes), {
      markers: [1_000],
      size: { width: 301, height: 226 },
    });
    expect(result.warnings).toEqual([]);
    expect(Math.abs(((await colourAt(result.frames[0], { x: 1, y: 1 }))[0] ?? 0) - grey(1))).toBeLessThanOrEqual(1);
  });
});

describe('a VAST', () => {
  const inline = (url: string) =>
    `<VAST version="3.0"><Ad><InLine><Creatives><Creative><Linear><MediaFiles><MediaFile type="video/mp4" width="320" height="240"><![CDATA[${url}]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;

  it('a VAST is captured through its wrapper at its declared size, and its media is fetched once', async () => {
    renderer.put('/v.mp4', { type: 'video/mp4', body: await media('greys.mp4') });
    renderer.put('/inline.xml', { type: 'text/xml', body: inline(`${renderer.base}/v.mp4`) });
    const source = renderer.put('/wrapper.xml', {
      type: 'text/xml',
      body: `<VAST version="2.0"><Ad><Wrapper><VASTAdTagURI>${renderer.base}/inline.xml?r=[CACHEBUSTING]</VASTAdTagURI></Wrapper></Ad></VAST>`,
    });
    renderer.asked.length = 0;
    const result = await rendered(source, { markers: [2_000], ratios: [1, 2] });
    expect(result).toMatchObject({ format: 'vast', category: 'video', width: 320, height: 240 });
    expect(await sharp(result.frames[1]?.png).metadata()).toMatchObject({ width: 640, height: 480 });
    for (const frame of result.frames)
      expect(Math.abs(((await colourAt(frame))[0] ?? 0) - grey(2))).toBeLessThanOrEqual(1);
    expect(renderer.asked.filter((path) => path === '/v.mp4')).toHaveLength(1);
    expect(renderer.asked.find((path) => path.startsWith('/inline'))).toMatch(/r=\d+$/);
  });
});

describe('a VAST without a video', () => {
  const companion = (resource: string) =>
    `<VAST version="4.1"><Ad><InLine><Creatives><Creative><CompanionAds><Companion width="300" height="250">${resource}</Companion></CompanionAds></Creative></Creatives></InLine></Ad></VAST>`;

  it.each([
    ['image', '<StaticResource creativeType="image/png">/c.png</StaticResource>'],
    ['HTML', '<HTMLResource><![CDATA[<div style="width:300px;height:250px;background:#f00">A</div>]]></HTMLResource>'],
    ['page', '<IFrameResource>/c.html</IFrameResource>'],
  ])('a companion that is an %s is shown at its declared size, with a warning', async (kind, resource) => {
    renderer.put('/c.png', { type: 'image/png', body: await edged(600, 500).png().toBuffer() });
    renderer.put('/c.html', { type: 'text/html', body: '<body style="margin:0;background:#f00">A' });
    const source = renderer.put(`/companion-${kind}.xml`, { type: 'text/xml', body: companion(resource) });
    const result = await rendered(source);
    expect(result).toMatchObject({ format: 'vast', category: 'display', width: 300, height: 250 });
    expect(result.warnings).toMatchObject([{ code: 'part_shown' }]);
    for (const at of [
      { x: 1, y: 1 },
      { x: 298, y: 247 },
    ])
      expect(await colourAt(result.frames[0], at)).toEqual([255, 0, 0]);
  });
});

describe('an HTML5 zip', () => {
  it('an HTML5 zip is served from its own origin with its styles, scripts and pictures', async () => {
    const zip = await zipOf({
      'ad/index.html': page(
        '<link rel="stylesheet" href="css/a.css"><div id="d"></div><img src="/img/b%20c.png"><script src="a.js?x=1"></script>',
      ),
      'ad/css/a.css': 'body{background:rgb(0,128,0)} img{position:absolute;left:200px;top:200px}',
      'ad/a.js': 'd.style.cssText = "width:100px;height:100px;background:rgb(1,2,3)"',
      'ad/img/b c.png': await red(50, 50).png().toBuffer(),
    });
    const result = await rendered(file('x.bin', zip));
    expect(result).toMatchObject({
      format: 'html5_zip',
      category: 'display',
      width: 300,
      height: 250,
      mode: 'stepped',
    });
    expect(await colourAt(result.frames[0], { x: 50, y: 50 })).toEqual([1, 2, 3]);
    expect(await colourAt(result.frames[0], { x: 150, y: 50 })).toEqual([0, 128, 0]);
    expect(await colourAt(result.frames[0], { x: 225, y: 225 })).toEqual([255, 0, 0]);
  });

  it('compressed files of a zip are unpacked by the browser', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="250"><rect width="100" height="250" fill="#00f"/></svg>';
    const zip = await zipOf({
      'index.html': page('<img src="a.svgz" style="position:absolute"><script src="b.js.br"></script>'),
      'a.svgz': gzipSync(svg),
      'b.js.br': brotliCompressSync('document.body.style.background = "rgb(0,200,0)"'),
    });
    const result = await rendered(file('a.zip', zip));
    expect(result.warnings).toEqual([]);
    expect(await colourAt(result.frames[0], { x: 50, y: 50 })).toEqual([0, 0, 255]);
    expect(await colourAt(result.frames[0], { x: 200, y: 50 })).toEqual([0, 200, 0]);
  });

  it('a film with sound in a zip is at the same place as the film alone', async () => {
    const film = await readFile(new URL('../../../fixtures/media/files/lumen.mp4', import.meta.url));
    const markers = [1_000, 2_500];
    const alone = await rendered(file('lumen.mp4', film), { markers });
    const { width, height } = alone;
    const html = `<meta name="ad.size" content="width=${width},height=${height}"><body style="margin:0">
<video src="lumen.mp4" autoplay muted playsinline width="${width}" height="${height}" style="display:block"></video>`;
    const inZip = await rendered(file('a.zip', await zipOf({ 'index.html': html, 'lumen.mp4': film })), {
      markers,
    });
    for (const index of markers.keys())
      expect(await difference(alone.frames[index], inZip.frames[index])).toBeLessThan(SAME_PICTURE);
    expect(await difference(alone.frames[0], inZip.frames[1])).toBeGreaterThan(SAME_PICTURE);
  });
});

/** A film in a page may be a frame or two behind. */
const SAME_PICTURE = 3;

/** @returns the mean difference of a color value. */
async function difference(one: CreativeFrame | undefined, two: CreativeFrame | undefined): Promise<number> {
  const [first, second] = await Promise.all(
    [one, two].map((frame) => sharp(frame?.png).removeAlpha().raw().toBuffer()),
  );
  const values = [...(first ?? [])];
  return values.reduce((sum, value, at) => sum + Math.abs(value - (second?.[at] ?? 0)), 0) / values.length;
}

describe('an HTML page', () => {
  it('an HTML page is loaded from its own address at its declared size', async () => {
    renderer.put('/a.css', { type: 'text/css', body: 'body{background:rgb(9,8,7)}' });
    const result = await rendered(
      renderer.put('/ad/', { type: 'text/html', body: page('<link rel="stylesheet" href="../a.css">x') }),
    );
    expect(result).toMatchObject({ format: 'html', width: 300, height: 250 });
    expect(await colourAt(result.frames[0])).toEqual([9, 8, 7]);
  });

  it('an HTML page without a declared size is as large as its content', async () => {
    const result = await rendered(file('a.html', `<body style="margin:0">${box('rgb(5,6,7)', 468, 60)}`));
    expect([result.width, result.height]).toEqual([468, 60]);
    expect(await colourAt(result.frames[0])).toEqual([5, 6, 7]);
  });

  it('an HTML page that fills its window is captured as a medium rectangle', async () => {
    const result = await rendered(
      file('a.html', '<style>html,body{margin:0;height:100%}</style><div style="height:100%;background:#00f">A'),
    );
    expect([result.width, result.height]).toEqual([300, 250]);
  });

  it('an HTML page that forbids frames is still captured', async () => {
    const headers = { 'x-frame-options': 'DENY' };
    const result = await rendered(
      renderer.put('/alone', { type: 'text/html', body: page(box('rgb(3,2,1)')), headers }),
    );
    expect(await colourAt(result.frames[0])).toEqual([3, 2, 1]);
  });
});

describe('an address that promises another format', () => {
  it.each([
    [
      '/spring.zip',
      'application/zip',
      undefined,
      'The address ends with .zip, but the server answered with an HTML page.',
    ],
    [
      '/download',
      'application/zip',
      undefined,
      'The server declares the content type application/zip, but sends an HTML page.',
    ],
    [
      '/now-a-page',
      'text/html',
      'html5_zip',
      'In earlier captures the ad was an HTML5 zip, but its address now answers with an HTML page.',
    ],
  ])(
    'the address %s with the type %s that answers with a sign-in page fails',
    async (path, type, earlierFormat, reason) => {
      const source = renderer.put(path, { type, body: page('<form>Sign in</form>') });
      const result = await renderer.render(source, { earlierFormat });
      expect(result).toEqual({ status: 'generic_error', reason: expect.stringContaining(reason) });
    },
  );
});

describe('a tag', () => {
  it('a tag whose script writes a box is as large as the box', async () => {
    renderer.put('/w.js', { type: 'text/javascript', body: `document.write('${box('rgb(0,0,200)', 728, 90)}')` });
    const result = await rendered(tag(`<script src="${renderer.base}/w.js?cb=%%CACHEBUSTER%%"></script>`));
    expect(result).toMatchObject({ format: 'tag', width: 728, height: 90 });
    expect(await colourAt(result.frames[0])).toEqual([0, 0, 200]);
  });

  it('a tag with a frame shows the frame', async () => {
    renderer.put('/frame.html', { type: 'text/html', body: page(box('rgb(0,90,0)')) });
    const result = await rendered(
      tag(`<iframe src="${renderer.base}/frame.html" width="300" height="250" frameborder="0"></iframe>`),
    );
    expect([result.width, result.height]).toEqual([300, 250]);
    expect(await colourAt(result.frames[0])).toEqual([0, 90, 0]);
  });

  it('a tag with an image shows the image', async () => {
    renderer.put('/i.png', { type: 'image/png', body: await edged(320, 50).png().toBuffer() });
    const result = await rendered(tag(`<a href="{{clickTag}}"><img src="${renderer.base}/i.png" border="0"></a>`));
    expect(result).toMatchObject({ format: 'tag', width: 320, height: 50 });
    expect(await colourAt(result.frames[0])).toEqual([255, 0, 0]);
  });

  it('a creative address that returns a script is captured as a tag', async () => {
    const result = await rendered(
      renderer.put('/tag', { type: 'text/javascript', body: `document.write('${box('rgb(7,0,7)')}')` }),
    );
    expect(result).toMatchObject({ format: 'tag', width: 300, height: 250 });
    expect(await colourAt(result.frames[0])).toEqual([7, 0, 7]);
  });

  it('a tag that closes its own containers is still captured', async () => {
    const result = await rendered(tag(`</div></body></html></iframe>${box('rgb(1,1,100)')}`));
    expect(await colourAt(result.frames[0])).toEqual([1, 1, 100]);
  });
});

describe('the facts of a creative', () => {
  const measured = async (files: Record<string, string | Buffer>, more: Partial<RenderRequest> = {}) => {
    const seen: string[] = [];
    const onFrames = async ({ frames, facts }: RenderedCreative) => void seen.push(`${frames.length} ${facts}`);
    const request = { wantsFacts: true, onFrames, ...more };
    const { facts, width, height } = await rendered(file('ad.zip', await zipOf(files)), request);
    expect(seen).toEqual(['1 undefined']);
    const { page } = CreativeFacts.parse(facts);
    if (page === null || 'not_measured' in page) throw new Error(`The page was not measured: ${JSON.stringify(page)}`);
    const checked = { width, height, category: 'display' } as const;
    return { page, facts, rules: findingsOf(CreativeFacts.parse(facts), checked, {}).map(({ rule }) => rule) };
  };

  it('the planted faults of a zip are found, and no request leaves the browser after the click', async () => {
    const noise = randomBytes(160 * 1024);
    renderer.put('/foreign.png', { type: 'image/png', body: await red(2, 2).png().toBuffer() });
    const faulty = `<!doctype html><html><body style="margin:0;font-family:Arial">
      <img src="${renderer.base}/foreign.png" width="20" height="20"><img src="lost.png"><img src="noise.png" width="1">
      <audio autoplay src="jingle.mp3"></audio><p id="text">Text</p>
      <a href="${renderer.base}/landing" style="position:absolute;left:0;top:0;width:300px;height:250px"></a>
      <script>onload = () => setTimeout(() => { const image = new Image(); image.src = 'late.png'; document.body.append(image); }, 500);
      const work = () => { let sum = 0; for (let left = 1e8; left > 0; left -= 1) sum += Math.sqrt(left); return sum; };
      setInterval(() => { document.getElementById('text').style.color = '#' + String(Date.now()).slice(-6); work(); }, 4_000);
      broken();</script>`;
    const pixels = await red(4, 4).png().toBuffer();
    const files = {
      'index.html': faulty,
      'noise.png': noise,
      'late.png': pixels,
      'old.png': pixels,
      'jingle.mp3': 'x',
    };
    const { page, rules } = await measured(files, { size: { width: 300, height: 250 } });
    expect(rules.toSorted()).toEqual(
      [
        ...['initial_load', 'unused_files', 'missing_file', 'third_party_hosts', 'insecure_address', 'no_border'],
        ...['exit_hard_coded', 'exit_same_window', 'ad_size_missing', 'motion_after_30_s', 'script_error'],
        ...['backup_image_missing', 'sound_without_gesture', 'system_fonts'],
      ].toSorted(),
    );
    expect(page).toMatchObject({
      exit: { address: `${renderer.base}/landing`, by: 'hard_coded', new_window: false },
      insecure: [`${renderer.base}/foreign.png`],
      sound: ['jingle.mp3'],
      system_fonts: ['Arial'],
      zip: { files: 5, unused: [{ file: 'old.png', bytes: pixels.length }], missing: ['lost.png'] },
    });
    expect(page.errors).toMatchObject([{ message: 'ReferenceError: broken is not defined', file: 'index.html' }]);
    expect(page.load.requests).toBe(page.load.initial_requests + 1);
    expect(page.load.total_bytes).toBe(page.load.initial_bytes + pixels.length);
    // Eight times a tenth of a second or more, in 35 s. An ad that does nothing needs a hundredth.
    expect(page.processor_load).toBeGreaterThan(0.02);
    expect(renderer.asked).not.toContain('/landing');
  });

  const clean = (
    exit: string,
  ) => `<!doctype html><html><head><meta name="ad.size" content="width=300,height=250"></head>
    <script src="//ajax.googleapis.com/none.js"></script><body style="margin:0;cursor:pointer">
    <div id="ad" style="width:300px;height:250px;background:#00f">${exit}</div></body></html>`;
  const backup = () => red(300, 250).png().toBuffer();
  const listen = (code: string) => `<script>document.getElementById('ad').onclick = () => { ${code} }</script>`;

  it.each([
    ['the query', 'click_tag', listen("window.open(new URLSearchParams(location.search).get('clickTag'))")],
    [
      'Enabler',
      'library',
      `<script src="https://s0.2mdn.net/ads/studio/Enabler.js"></script>${listen("Enabler.exit('Exit')")}`,
    ],
    [
      'a button beside the middle',
      'click_tag',
      `<button style="width:50px;height:20px" onclick="window.open(clickTag)"></button>`,
    ],
  ])('a click opens the address of %s', async (_, by, exit) => {
    const files = { 'index.html': clean(exit), 'backup.png': await backup() };
    const { page, rules } = await measured(files);
    expect(page.exit).toMatchObject({ by, new_window: true });
    expect(rules).toEqual([]);
    expect(page).toMatchObject({
      motion: { seconds: 0 },
      processor_load: expect.closeTo(0, 1),
      zip: { backup_image: 'backup.png', unused: [], missing: [] },
    });
  });

  it('a GIF has the facts of its file, and a creative without the wish has none', async () => {
    const frames = [red(300, 250), red(300, 250).negate()].map((one) => one.raw().toBuffer());
    const raw = Buffer.concat(await Promise.all(frames));
    const gif = await sharp(raw, { raw: { width: 300, height: 500, channels: 3, pageHeight: 250 } })
      .gif({ delay: [2_000, 3_000], loop: 4 })
      .toBuffer();
    const { facts } = await rendered(file('a.gif', gif), { wantsFacts: true });
    expect(facts).toEqual({ file_bytes: gif.length, white_edge: 0, animation: { seconds: 5, loops: 4 }, page: null });
    expect((await rendered(file('a.gif', gif))).facts).toBeUndefined();
  });
});
