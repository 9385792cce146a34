import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { zipOf } from '../../../support/zips.ts';
import { killBrowsers, killRenderers } from './browserProcesses.ts';
import { SHORT_MOMENTS, testKillsWhileOpening } from './pageKillsMatrix.ts';
import { device, openerFor } from './sites.ts';

const STATUS: Readonly<Record<string, number>> = { '/missing': 404, '/refused': 403 };

let opener: PageOpener;
let site: Listener;
let onRequest: (answer: () => void) => void = (answer) => answer();

beforeAll(async () => {
  site = await listenHttp(({ url }, response) =>
    onRequest(() => {
      response.writeHead(STATUS[url ?? ''] ?? 200, { 'content-type': 'text/html' });
      const [, height = '100'] = url?.match(/^\/high-(\d+)/) ?? [];
      response.end(
        `<!doctype html><meta name="viewport" content="width=device-width"><body style="margin:0;height:${height}px">A page.`,
      );
    }),
  );
  opener = await openerFor();
});
afterAll(async () => {
  await opener?.close();
  await site?.close();
});

test('a site that refuses the visit is pictured as it is, and one that does not answer is not', async () => {
  const refused = await opener.open(`${site.url}/refused`, device('desktop'));
  expect(refused).toMatchObject({ status: 'blocked', picture: { width: 1440, height: 900 } });
  const { channels } = await sharp('picture' in refused ? refused.picture?.png : undefined).stats();
  expect(channels[0]?.min).toBeLessThan(100);
  const away = await opener.open('http://127.0.0.1:1/', device('desktop'));
  expect([away.status, 'picture' in away && away.picture]).toEqual(['generic_error', undefined]);
});

test.each([
  [3_000, undefined, { width: 390, height: 3_000 }],
  [3_000, 2, { width: 780, height: 6_000 }],
  [10_000, 2, { width: 624, height: 16_000 }],
  [20_000, 2, { width: 390, height: 16_000 }],
])('the picture of a page of %i px at the ratio %s has at most 16,000 pixels', async (height, ratio, size) => {
  const page = await opener.open(`${site.url}/high-${height}`, device('iphone'));
  if (page.status !== 'ready') throw new Error(page.reason);
  expect(await page.capture({ ratio })).toMatchObject({ ...size, page: { height } });
  await page.close();
});

const GIVEN = { x: 100, y: 2_000, width: 300, height: 250 };
const OTHER_HOST = 'http://cdn.example';

/** A page of parts that each prove by a color that they loaded. Its script asks the network for another one. */
const parts = () => ({
  html: `<!doctype html><link rel="stylesheet" href="cid:css-1@mhtml.blink"><link rel="stylesheet" href="files/two.css">
<div id="one" style="height:9px"></div><div id="two" style="height:9px"></div><img id="three" src="${OTHER_HOST}/three.png">
<iframe src="cid:frame-2@mhtml.blink"></iframe><div id="shadow"><template shadowmode="open"><b>deep</b></template></div>
<script>fetch('${site.url}/leak').catch(() => 0); new Image().src = '${site.url}/leak.png';</script>
<div id="div-gpt-ad-1" class="ad-slot" style="width:300px;height:250px"></div>`,
  one: '#one { background: rgb(255, 0, 0) }',
  two: '#two { background: rgb(0, 0, 255) }',
  frame: `<p>framed</p><img src="/leak">`,
});

const mimePart = (headers: string, body: string) => `--edge\r\n${headers}\r\n\r\n${body}\r\n`;

function mhtml(image: Buffer): Buffer {
  const { html, one, two, frame } = parts();
  const quoted = html.replaceAll('=', '=3D').replace('<!doctype html>', '<!doc=\r\ntype html>');
  return Buffer.from(
    `From: <Saved by Blink>\r\nSnapshot-Content-Location: https://www.saved.example/a/b\r\nContent-Type: multipart/related;\r\n\tboundary="edge"\r\n\r\n` +
      mimePart(
        'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://www.saved.example/a/b',
        quoted,
      ) +
      mimePart('Content-Type: text/css\r\nContent-Location: cid:css-1@mhtml.blink', one) +
      mimePart('Content-Type: text/css\r\nContent-Location: https://www.saved.example/a/files/two.css', two) +
      mimePart('Content-Type: text/html\r\nContent-ID: <frame-2@mhtml.blink>', frame) +
      mimePart(
        `Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: ${OTHER_HOST}/three.png`,
        image.toString('base64'),
      ) +
      '--edge--\r\n',
  );
}

const picture = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

test('a screenshot is shown as wide as the screen, and the ad is in its area', async () => {
  const lines = Array.from({ length: 60 }, (_, row) => `<path d="M0 ${row * 100}h2880v9H0z"/>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2880" height="6000" fill="#369">${lines}</svg>`;
  const bytes = await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toBuffer();
  const page = await opener.open(`${site.url}/given`, device('desktop'), { given: { format: 'image', bytes } });
  if (page.status !== 'ready') throw new Error(page.reason);
  expect(await page.capture()).toMatchObject({ page: { width: 1_440, height: 3_000 } });
  const ad = { markerMs: null, ratio: 1, width: 300, height: 250, png: await picture(300, 250, '#ff0000') };
  const placed = await page.place(ad, { ...DEFAULT_OPTIONS, slot: { area: { x: 100, y: 2_000 } }, fullPage: true });
  expect(placed).toMatchObject({ status: 'uploaded', adBox: GIVEN, scale: 1, warnings: [{ code: 'page_given' }] });
  const outside = await page.place(ad, { ...DEFAULT_OPTIONS, slot: { area: { x: 1_200, y: 0 } } });
  expect(outside).toMatchObject({ status: 'no_slots', reason: expect.stringContaining('1440×3000 CSS pixels') });
  await page.close();
});

test('a saved page shows only its own parts, and nothing is requested from the network', async () => {
  let asked = 0;
  onRequest = (answer) => {
    asked += 1;
    answer();
  };
  const image = await picture(7, 9, '#00ff00');
  const { html, one, two } = parts();
  const zip = await zipOf({
    'page/index.html': html.replace('cid:css-1@mhtml.blink', 'one.css').replace(`${OTHER_HOST}/three.png`, 'three.png'),
    ...{ 'page/one.css': one, 'page/files/two.css': two, 'page/three.png': image },
  });
  for (const given of [
    { format: 'mhtml', bytes: mhtml(image) } as const,
    { format: 'html5_zip', bytes: zip } as const,
  ]) {
    const page = await opener.open(`${site.url}/a/b`, device('desktop'), { given });
    if (page.status !== 'ready') throw new Error(page.reason);
    expect(page.finalUrl).toBe(`${site.url}/a/b`);
    expect(page.candidates.map(({ element }) => element)).toEqual(['#div-gpt-ad-1']);
    const { data } = await sharp((await page.capture()).png)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    for (const color of [
      [255, 0, 0],
      [0, 0, 255],
      [0, 255, 0],
    ])
      expect(data.includes(Buffer.from(color)), `${given.format} ${color}`).toBe(true);
    await page.close();
  }
  expect(asked).toBe(0);
  onRequest = (answer) => answer();
});

test('a file that is no page fails with what to do', async () => {
  const files = [
    { given: { format: 'image', bytes: Buffer.from('PNG') }, reason: /The screenshot cannot be read. Upload it again/ },
    {
      given: { format: 'mhtml', bytes: Buffer.from('Content-Type: multipart/related\n\n') },
      reason: /has no HTML part/,
    },
    { given: { format: 'html5_zip', bytes: await zipOf({ 'a.txt': 'a' }) }, reason: /^The zip / },
  ] as const;
  for (const { given, reason } of files)
    expect(await opener.open(`${site.url}/a`, device('desktop'), { given })).toMatchObject({
      status: 'generic_error',
      reason: expect.stringMatching(reason),
    });
});

test('a site without a scheme that refuses https is opened by http, with a warning', async () => {
  const https = site.url.replace('http:', 'https:');
  const page = await opener.open(https, device('desktop'), { mayUseHttp: true });
  if (page.status !== 'ready') throw new Error(page.reason);
  expect(page.finalUrl).toBe(`${site.url}/`);
  const ad = { markerMs: null, ratio: 1, width: 30, height: 20, png: await picture(30, 20, '#ff0000') };
  expect(await page.place(ad, { ...DEFAULT_OPTIONS, slot: { area: { x: 100, y: 100 } } })).toMatchObject({
    warnings: expect.arrayContaining([expect.objectContaining({ code: 'http_used' })]),
  });
  await page.close();
  for (const closed of [
    await opener.open(https, device('desktop')),
    await opener.open('https://127.0.0.1:1/', device('desktop'), { mayUseHttp: true }),
  ])
    expect(closed).toMatchObject({ status: 'generic_error' });
});

test('an open call rejects if the browser ends during the call, or has ended before', async () => {
  onRequest = killBrowsers;
  for (let call = 1; call <= 2; call += 1)
    await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The browser ended: /);
  onRequest = (answer) => answer();
});

test('a page that crashes before the site answers is a crash, not a failure of the site', async () => {
  await opener.close();
  opener = await openerFor();
  onRequest = killRenderers;
  await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The page crashed: /);
  onRequest = (answer) => answer();
  expect(await opener.open(site.url, device('desktop'))).toMatchObject({ status: 'ready' });
});

testKillsWhileOpening(SHORT_MOMENTS);
