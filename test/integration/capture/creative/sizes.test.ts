import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { animatedAvif } from '../../../support/animatedAvif.ts';
import { colourAt, file, startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

const page = (style: string, body: string, head = '') =>
  `<!doctype html><html><head>${head}<style>html,body{margin:0}${style}</style></head><body>${body}</body></html>`;
const meta = (width: number, height: number) => `<meta name="ad.size" content="width=${width},height=${height}">`;
const stage = (width: number, height: number, more = '') =>
  `#ad{position:relative;width:${width}px;height:${height}px;overflow:hidden;background:#123456;${more}}`;
const AD = '<div id="ad"></div>';
const fluid = '#ad{position:absolute;inset:0;background:#123456}';

/** At marker 0, because the search for a default frame runs for at least 15 s of a creative's time. */
async function shown(
  files: Record<string, string | Buffer>,
  { name = 'creative.zip', size }: { name?: string; size?: { width: number; height: number } } = {},
) {
  const result = await renderer.rendered(file(name, await zipOf(files)), { size, markers: [0] });
  return { result, size: `${result.width}x${result.height}`, codes: result.warnings.map(({ code }) => code) };
}

describe('the size of an HTML5 zip', () => {
  it.each([
    ['centered by margins', stage(300, 600, 'margin:0 auto'), AD],
    [
      'centered by a transform',
      stage(300, 600, 'position:absolute;left:50%;top:50%;transform:translate(-50%,-50%)'),
      AD,
    ],
    ['with a border of one pixel', stage(300, 600, 'border:1px solid #fff'), AD],
    ['on a colored body', `${stage(300, 600)}body{background:#ddd}`, AD],
    [
      'with sprites beside the stage',
      `${stage(300, 600)}#strip{position:absolute;width:1200px;height:900px;background:red}`,
      '<div id="ad"><div id="strip"></div></div>',
    ],
    ['with a clip path', '#ad{width:600px;height:900px;background:red;clip-path:inset(0 300px 300px 0)}', AD],
    [
      'whose layers are not visible yet',
      `${stage(300, 600, 'background:none')}#layer{width:300px;height:600px;opacity:0;background:red}#cta{width:9px;height:9px;background:red}`,
      '<div id="ad"><div id="cta"></div><div id="layer"></div></div>',
    ],
    [
      'in a shadow root',
      '',
      `<x-ad></x-ad><script>document.querySelector('x-ad').attachShadow({mode:'open'}).innerHTML='<div style="width:300px;height:600px;overflow:hidden;background:red"></div>'</script>`,
    ],
  ])('a stage %s is shown at its own size', async (_, style, body) => {
    const { size, codes } = await shown({ 'index.html': page(style, body) });
    expect([size, codes]).toEqual(['300x600', []]);
  });

  it.each([
    ['the name of the zip', { 'index.html': page(fluid, AD) }, 'Brand_Spring_728x90_v2.zip', '728x90', []],
    ['the name of its folder', { '160x600/index.html': page(fluid, AD) }, 'a.zip', '160x600', []],
    ['the name of a picture', { 'index.html': page(fluid, AD), 'img/bg_970x250.png': '' }, 'a.zip', '970x250', []],
    [
      'the manifest of the ad server',
      { 'index.html': page(fluid, AD), 'manifest.json': '{"width":"320","height":"480","source":"index.html"}' },
      'a.zip',
      '320x480',
      [],
    ],
    ['nothing', { 'index.html': page(fluid, AD) }, 'a.zip', '300x250', ['size_assumed']],
    ['a word in its name', { 'index.html': page(fluid, AD) }, 'Client_Leaderboard.zip', '728x90', ['size_assumed']],
  ])('an ad that fills any frame gets its size from %s', async (_, files, name, expected, warnings) => {
    const { size, codes } = await shown(files, { name });
    expect([size, codes]).toEqual([expected, warnings]);
  });

  it.each([
    ['swapped', 600, 300],
    ['copied from a smaller ad', 300, 250],
    ['copied from a larger ad', 970, 250],
    ['copied from an ad of the same height', 160, 600],
  ])('an ad.size that is %s loses against the stage, with a warning', async (_, width, height) => {
    const { size, codes } = await shown({ 'index.html': page(stage(300, 600), AD, meta(width, height)) });
    expect([size, codes]).toEqual(['300x600', ['size_conflict']]);
  });

  it('a body with a size of its own is the stage, however wide it is', async () => {
    const style = 'body{width:970px;height:90px;margin:0 auto!important;overflow:hidden;background:#123456}';
    const { size, codes } = await shown({ 'index.html': page(style, 'x') });
    expect([size, codes]).toEqual(['970x90', []]);
  });

  it('an ad that fills any frame has the proportions of its largest picture, with a warning', async () => {
    const picture = await sharp({ create: { width: 1_940, height: 500, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const style = 'html,body{height:100%}#ad{height:100%;background:url(bg.png) center/cover}';
    const { size, codes } = await shown({ 'index.html': page(style, AD), 'bg.png': picture });
    expect([size, codes]).toEqual(['970x250', ['size_assumed']]);
  });

  it('an ad.size in UTF-16 is read', async () => {
    const html = Buffer.from(`\uFEFF${page(fluid, AD, meta(970, 250))}`, 'utf16le');
    expect((await shown({ 'index.html': html })).size).toBe('970x250');
  });

  it('an ad.size holds if the parts of the ad are smaller than it', async () => {
    const body = '<div style="width:250px;height:250px;background:red"></div>';
    const { size, codes } = await shown({ 'index.html': page('body{background:#ddd}', body, meta(300, 600)) });
    expect([size, codes]).toEqual(['300x600', []]);
  });

  it('the requested size wins, and a warning says that the ad is cut off', async () => {
    const { size, codes } = await shown(
      { 'index.html': page(stage(300, 600), AD) },
      { size: { width: 300, height: 250 } },
    );
    expect([size, codes]).toEqual(['300x250', ['size_conflict']]);
  });

  it('an ad with margins around it is cut off as in an ad server, with a warning', async () => {
    const { size, codes } = await shown({ 'index.html': page(`body{margin:8px!important}${stage(300, 250)}`, AD) });
    expect([size, codes]).toEqual(['300x250', ['size_conflict']]);
  });

  it('the notes say where the size comes from', async () => {
    const { result } = await shown({ 'index.html': page(stage(300, 600), AD) });
    expect(result.notes).toContain('Size 300×600: the size of the root container.');
  });
});

describe('a zip with several pages', () => {
  const files = {
    'set/300x250/index.html': page(stage(300, 250), AD, meta(300, 250)),
    'set/728x90/index.html': page(stage(728, 90), AD, meta(728, 90)),
  };

  it('the requested size chooses a page', async () => {
    expect((await shown(files, { size: { width: 728, height: 90 } })).size).toBe('728x90');
  });

  it('without a requested size the zip fails with the list of its pages', async () => {
    expect(await renderer.render(file('all.zip', await zipOf(files)))).toEqual({
      status: 'generic_error',
      reason:
        'The zip holds two pages: set/300x250/index.html (300x250), set/728x90/index.html (728x90). ' +
        'Choose one with its size, for example ad.size 300x250 (--ad-size 300x250 of shoot), or send a zip with one page.',
    });
  });
});

describe('files that did not load', () => {
  it('a missing script, image and font of a zip become warnings with their paths', async () => {
    const style = `${stage(300, 250)}@font-face{font-family:f;src:url(f.woff2)}#ad{font-family:f;background:#123456 url(img/none.png)}`;
    const { result } = await shown({
      'index.html': page(style, '<div id="ad">x</div><script src="lib/gsap.js"></script>'),
    });
    expect(result.warnings.toSorted((a, b) => (a.code < b.code ? -1 : 1))).toEqual([
      { code: 'font_not_loaded', message: 'A font did not load: f.woff2 (the creative does not contain it).' },
      { code: 'image_not_loaded', message: 'An image did not load: img/none.png (the creative does not contain it).' },
      { code: 'script_not_loaded', message: 'A script did not load: lib/gsap.js (the creative does not contain it).' },
    ]);
  });

  it('an ad that is visible without its library is shown, with a warning that names the library', async () => {
    const url = `${renderer.base}/none/gsap.min.js`;
    const { size, result } = await shown({
      'index.html': page(stage(300, 250), `${AD}<script src="${url}"></script>`),
    });
    expect(size).toBe('300x250');
    expect(result.warnings).toEqual([
      { code: 'script_not_loaded', message: `A script did not load: ${url} (HTTP status 404).` },
    ]);
  });

  it('tracking pixels and scripts that only measure are not warned about', async () => {
    const none = `${renderer.base}/none`;
    const pixels = `<img src="${none}/a.gif" width="1" height="1"><img src="${none}/b.gif" style="display:none">`;
    const scripts = `<script src="${none}/analytics.js"></script><script>new Image().src = '${none}/c.gif'</script>`;
    const { codes } = await shown({ 'index.html': page(stage(300, 250), AD + pixels + scripts) });
    expect(codes).toEqual([]);
  });

  describe('an image that the server sends with status 200', () => {
    const png = () =>
      sharp({ create: { width: 300, height: 250, channels: 3, background: '#f00' } }).png({ compressionLevel: 0 });
    const put = async (name: string, body: Buffer | string, status = 200) => {
      renderer.put(`/broken/${name}`, { type: 'image/png', body, status });
      return `${renderer.base}/broken/${name}`;
    };

    it.each([
      ['is cut off', 'damaged or cut off', async () => (await png().toBuffer()).subarray(0, 100_000)],
      [
        'is corrupt',
        'damaged, or in a format that no browser shows',
        async () => Buffer.concat([(await png().toBuffer()).subarray(0, 8), Buffer.alloc(500)]),
      ],
      ['is empty', 'empty', async () => ''],
      ['is an HTML page', 'kind of content|damaged', async () => `<!doctype html><p>Sign in${' '.repeat(100)}`],
      ['is a TIFF', 'in a format that no browser shows', async () => png().tiff().toBuffer()],
    ])('an image that %s is warned about, as an image, as a background and in a zip', async (_, why, make) => {
      const body = await make();
      const [image, background, before] = await Promise.all(['i.png', 'b.png', 'p.png'].map((name) => put(name, body)));
      const style = `${stage(300, 250)}#ad{background:#123456 url(${background})}#ad::before{content:"";background:url(${before})}`;
      const { result } = await shown({
        'index.html': page(
          style,
          `<div id="ad">x<img src="${image}" width="100" height="100"></div><script>new Image().src = 'own.png'</script>`,
        ),
        'own.png': Buffer.from(body),
      });
      const names = [image, background, before, 'own.png'].toSorted();
      const messages = result.warnings.map(({ message }) => message).toSorted();
      expect(messages).toEqual(names.map((name) => expect.stringContaining(`An image did not load: ${name} (`)));
      for (const message of messages) expect(message).toMatch(new RegExp(why));
    });

    it('whole images and starters of one pixel are not warned about', async () => {
      const starter = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64');
      const [whole, one, nothing, wide] = await Promise.all([
        put('whole.png', await png().toBuffer()),
        put('one.gif', starter),
        put('nothing.gif', '', 204),
        put('vector.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      ]);
      const images = [whole, one, nothing].map((url) => `<img src="${url}" width="100" height="50">`).join('');
      const inCode = `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="100" height="50">`;
      const style = `${stage(300, 250)}#ad{background:#123456 url(${wide})}`;
      const { codes } = await shown({ 'index.html': page(style, `<div id="ad">x${images}${inCode}</div>`) });
      expect(codes).toEqual([]);
    });
  });

  it('a font that does not exist is warned about, unless another one of the list exists', async () => {
    const text = (family: string) => `<p style="font-family:${family}">text</p>`;
    const body = `<div id="ad">${text('Acme Sans, sans-serif')}${text('Acme Serif, Arial')}${text('monospace')}</div>`;
    const { result } = await shown({ 'index.html': page(stage(300, 250), body) });
    expect(result.warnings).toEqual([
      {
        code: 'fallback_font',
        message:
          'The font "Acme Sans" is not available, so its text is in another font. Include the font in the creative.',
      },
    ]);
  });

  it('text without glyphs is warned about', async () => {
    const { codes } = await shown({
      'index.html': page(stage(300, 250), `<div id="ad">&#x10570;&#x10571;&#x10572;</div>`),
    });
    expect(codes).toEqual(['missing_glyphs']);
  });

  it('an image that the ad hides at first and that did not load is warned about', async () => {
    const hidden = `<div style="display:none"><img src="${renderer.base}/none/hero.png" width="300" height="250"></div>`;
    const { codes } = await shown({ 'index.html': page(stage(300, 250), AD + hidden) });
    expect(codes).toEqual(['image_not_loaded']);
  });
});

describe('an image', () => {
  const image = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();

  it('an image with twice the pixels of a standard size is shown at that size, with a warning', async () => {
    const result = await renderer.rendered(file('a.png', await image(640, 100)));
    expect([result.width, result.height]).toEqual([320, 50]);
    expect(result.warnings).toMatchObject([{ code: 'size_assumed' }]);
    expect(await sharp(result.frames[0]?.png).metadata()).toMatchObject({ width: 320, height: 50 });
  });

  it('the requested size overrides the pixels of an image', async () => {
    const result = await renderer.rendered(file('a.png', await image(640, 100)), { size: { width: 640, height: 100 } });
    expect([result.width, result.warnings]).toEqual([640, []]);
  });

  it('an animated AVIF is captured at its own size', async () => {
    const avif = await animatedAvif(['#f00', '#00f'], { width: 300, height: 250 });
    const result = await renderer.rendered(file('a.avif', avif), { markers: [500, 1_500] });
    expect(result).toMatchObject({ format: 'image', width: 300, height: 250, mode: 'stepped' });
    const [first = [], second = []] = await Promise.all(result.frames.map((frame) => colourAt(frame)));
    expect(first[0]).toBeGreaterThan(240);
    expect(second[2]).toBeGreaterThan(240);
  });
});
