import { describe, expect, it } from 'vitest';
import { documentClaims, lottieSize } from '../../../../src/capture/creative/declaredSize.ts';
import { namesInUrl, sizeOfWord, sizesInName } from '../../../../src/capture/creative/sizeClaims.ts';
import { toolSize } from '../../../../src/capture/creative/toolSize.ts';
import { unpack } from '../../../../src/capture/creative/zip.ts';
import { zipOf } from '../../../support/zips.ts';

const pairs = (name: string) => sizesInName(name).map(({ width, height }) => `${width}x${height}`);

describe('the size in a name', () => {
  it.each([
    ['25_IN_D_V1_EN_H5_300x250.zip', ['300x250']],
    ['Expando_300x250_to_600x500.zip', ['300x250']],
    ['Set_300X600-160×600.zip', ['300x600', '160x600']],
    ['banner_728_90.zip', ['728x90']],
    ['600x500@2x.png', ['300x250']],
    ['photo_1234x567.jpg', []],
    ['2024-11-22.zip', []],
  ])('the sizes in %s are read', (name, sizes) => {
    expect(pairs(name)).toEqual(sizes);
  });

  it.each([
    ['Client_MPU_v2.zip', '300x250'],
    ['HalfPage-EN.zip', '300x600'],
    ['Q3_Billboard.zip', '970x250'],
    ['stamps_and_clubs.zip', undefined],
  ])('the word for a size in %s is read', (name, size) => {
    const found = sizeOfWord(name);
    expect(found && `${found.width}x${found.height}`).toBe(size);
  });

  it('the parts of a URL are names, the file first', () => {
    expect(namesInUrl('https://cdn.test/q3/300x600/index.html?sz=300x600')).toEqual([
      'index.html',
      '300x600',
      'q3',
      'sz=300x600',
    ]);
  });
});

describe('the size that a tool wrote', () => {
  it.each([
    ['manifest.json', '{"title":"x","width":"300","height":"600"}', [300, 600]],
    [
      'manifest.js',
      'FT.manifest({"filename":"index.html","width":970,"height":90,"expand":{"width":970,"height":400}});',
      [970, 90],
    ],
    ['config.xml', '<widget name="x" width="300px" height="250px">', [300, 250]],
    [
      'index.html',
      '<div class="HYPE_document" style="margin:auto;width:728px;height:90px;overflow:hidden;">',
      [728, 90],
    ],
    [
      'index.html',
      "AdobeEdge.loadComposition('index','EDGE-1',{scaleToFit:'none', width: \"468px\", height: \"60px\"})",
      [468, 60],
    ],
    ['banner.js', 'screenad.setSize("300", "250");', [300, 250]],
    ['index.html', 'var adParams = {"adWidth":320,"adHeight":480}', [320, 480]],
    [
      'index.html',
      '<gwd-page data-gwd-width="160px" data-gwd-height="600px"><style>.gwd-page-size{width:300px;height:250px}</style>',
      [160, 600],
    ],
    ['index.html', '<div is="gwd-page" data-gwd-width="160px" data-gwd-height="600px">', [160, 600]],
    ['index.js', 'lib.properties = { id: "A", width: 300, height: 250, fps: 24 }', [300, 250]],
    ['index.html', '{"creativeProperties":{"minWidth":300,"minHeight":250,"maxWidth":300}}', [300, 250]],
    ['index.html', 'bannersnack_embed = {"hash":"b","width":728,"height":90,"t":1}', [728, 90]],
  ])('the size is read from %s with %s', (path, text, [width, height]) => {
    expect(toolSize([[path, text]])?.size).toEqual({ width, height });
  });

  it.each([
    ['index.html', '<gwd-page data-gwd-width="100%" data-gwd-height="100%">'],
    ['index.html', 'Enabler.setExpandingPixelOffsets(0, 0, 970, 500)'],
    ['index.html', 'EB.initExpansionParams(0,0,600,480)'],
    ['package.json', '{"width":300,"height":250}'],
  ])('no size is read from %s with %s', (path, text) => {
    expect(toolSize([[path, text]])).toBeUndefined();
  });

  it('a comment with the size of a Weborama creative counts', () => {
    expect(documentClaims('<!--SCRWIDTH: 300--><!--SCRHEIGHT: 250-->')[0]?.size).toEqual({ width: 300, height: 250 });
  });

  it.each(['300x250', 'width=300px, height=250px', 'WIDTH = 300; HEIGHT = 250', '300,250'])(
    'an ad.size of "%s" is read',
    (content) => {
      expect(documentClaims(`<meta name="ad.size" content="${content}">`)[0]?.size).toEqual({
        width: 300,
        height: 250,
      });
    },
  );

  it('the size of a Lottie animation is read', () => {
    expect(lottieSize('{"v":"5.7","fr":30,"ip":0,"op":90,"w":300,"h":600,"layers":[]}')).toEqual({
      width: 300,
      height: 600,
    });
  });
});

describe('the page of a zip with several pages', () => {
  it.each([
    [
      'the page that the manifest names',
      { 'a.html': 'x', 'b.html': 'x', 'manifest.json': '{"source":"b.html"}' },
      {},
      'b.html',
    ],
    ['the page beside a backup', { 'banner.html': 'x', 'backup.html': 'x' }, {}, 'banner.html'],
    [
      'the page that includes the other',
      { 'ad.html': '<iframe src="part/inner.html">', 'part/inner.html': 'x' },
      {},
      'ad.html',
    ],
    [
      'the page with the requested size',
      { '300x250.html': 'x', '728x90.html': 'x' },
      { size: { width: 728, height: 90 } },
      '728x90.html',
    ],
    [
      'the page with the size in the name of the zip',
      { '300x250.html': 'x', '728x90.html': 'x' },
      { zipName: 'Q3_300x250.zip' },
      '300x250.html',
    ],
  ])('the page is %s', async (_, files, choice, index) => {
    expect((await unpack(await zipOf(files), choice)).index).toBe(index);
  });

  it('an overview that shows all sizes is not the ad', async () => {
    const files = {
      'index.html': '<iframe src="300x250/index.html"></iframe><iframe src="728x90/index.html"></iframe>',
      '300x250/index.html': 'x',
      '728x90/index.html': 'x',
    };
    await expect(unpack(await zipOf(files))).rejects.toThrow(/two pages: 300x250.*728x90/);
  });
});

describe('the names of the files in a zip', () => {
  const NAME = 'Größe.png';
  const unflagged = async (bytes: Buffer) => {
    const zip = await zipOf({ 'index.html': 'x', ['~'.repeat(bytes.length)]: 'y' });
    const text = zip.toString('latin1').replaceAll('~'.repeat(bytes.length), bytes.toString('latin1'));
    const bytesOut = Buffer.from(text, 'latin1');
    // Neither header says that the names are UTF-8.
    for (const [signature, flags] of [
      ['PK\x01\x02', 9],
      ['PK\x03\x04', 7],
    ] as const)
      for (let at = bytesOut.indexOf(signature); at >= 0; at = bytesOut.indexOf(signature, at + 4))
        bytesOut[at + flags] = 0;
    return bytesOut;
  };

  it.each([
    ['UTF-8', Buffer.from(NAME)],
    ['UTF-8 with separate accents', Buffer.from(NAME.normalize('NFD'))],
    ['Latin-1', Buffer.from(NAME, 'latin1')],
    ['code page 437', Buffer.from([0x47, 0x72, 0x94, 0xe1, 0x65, 0x2e, 0x70, 0x6e, 0x67])],
  ])('a name in %s without a flag is found', async (_, bytes) => {
    const { files, aliases } = await unpack(await unflagged(bytes));
    expect(files.get(files.has(NAME) ? NAME : (aliases.get(NAME) ?? ''))?.toString()).toBe('y');
  });
});
