import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';
import { AD, fluid, page, stage } from './sizedPages.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

const meta = (width: number, height: number) => `<meta name="ad.size" content="width=${width},height=${height}">`;

/** At marker 0, because the search for a default frame runs for at least 15 s of a creative's time. */
async function shown(
  files: Record<string, string | Buffer>,
  { name = 'creative.zip', size }: { name?: string; size?: { width: number; height: number } } = {},
) {
  const result = await renderer.rendered(file(name, await zipOf(files)), { size, markers: [0] });
  return { result, size: `${result.width}x${result.height}`, codes: result.warnings.map(({ code }) => code) };
}

describe('the size of an HTML5 zip', () => {
  it('the size of a zip with a stage is that of the stage, and the notes say so', async () => {
    const { size, codes, result } = await shown({ 'index.html': page(stage(300, 600, 'margin:0 auto'), AD) });
    expect([size, codes]).toEqual(['300x600', []]);
    expect(result.notes).toContain('Size 300×600: the size of the root container.');
  });

  it.each([
    ['that fills any frame is assumed, with a warning', fluid, '', '300x250', ['size_assumed']],
    [
      'whose ad.size is copied from a smaller ad is that of the stage, with a warning',
      stage(300, 600),
      meta(300, 250),
      '300x600',
      ['size_conflict'],
    ],
  ])('the size of a zip %s', async (_, style, head, expected, warnings) => {
    const { size, codes } = await shown({ 'index.html': page(style, AD, head) });
    expect([size, codes]).toEqual([expected, warnings]);
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

    it('an image that is cut off is warned about, as an image, as a background and in a zip', async () => {
      const body = (await png().toBuffer()).subarray(0, 100_000);
      const [image, background, before] = await Promise.all(['i.png', 'b.png', 'p.png'].map((name) => put(name, body)));
      const style = `${stage(300, 250)}#ad{background:#123456 url(${background})}#ad::before{content:"";background:url(${before})}`;
      const { result } = await shown({
        'index.html': page(
          style,
          `<div id="ad">x<img src="${image}" width="100" height="100"></div><script>new Image().src = 'own.png'</script>`,
        ),
        'own.png': body,
      });
      const names = [image, background, before, 'own.png'].toSorted();
      const messages = result.warnings.map(({ message }) => message).toSorted();
      expect(messages).toEqual(names.map((name) => expect.stringContaining(`An image did not load: ${name} (`)));
      for (const message of messages) expect(message).toMatch(/damaged or cut off/);
    });

    it('images that are corrupt, empty, an HTML page or a TIFF are warned about with the reason', async () => {
      const kinds: readonly (readonly [name: string, why: RegExp, bytes: Buffer])[] = [
        [
          'corrupt.png',
          /damaged, or in a format that no browser shows/,
          Buffer.concat([(await png().toBuffer()).subarray(0, 8), Buffer.alloc(500)]),
        ],
        ['empty.png', /empty/, Buffer.alloc(0)],
        ['html.png', /kind of content|damaged/, Buffer.from(`<!doctype html><p>Sign in${' '.repeat(100)}`)],
        ['tiff.png', /in a format that no browser shows/, await png().tiff().toBuffer()],
      ];
      const urls = await Promise.all(kinds.map(([name, , bytes]) => put(name, bytes)));
      const images = urls.map((url) => `<img src="${url}" width="50" height="50">`);
      const { result } = await shown({ 'index.html': page(stage(300, 250), `<div id="ad">x${images.join('')}</div>`) });
      expect(result.warnings).toHaveLength(kinds.length);
      for (const [name, why] of kinds)
        expect(result.warnings.find(({ message }) => message.includes(`/${name} (`))?.message, name).toMatch(why);
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
});
