import { describe, expect, it } from 'vitest';
import { documentSize, onlySource, tagSize } from '../../../../src/capture/creative/declaredSize.ts';
import { tagDocument } from '../../../../src/capture/creative/documents.ts';
import { svgSize } from '../../../../src/capture/creative/markup.ts';

describe('the size of an HTML document', () => {
  it.each([
    ['<meta name="ad.size" content="width=300,height=250">', [300, 250]],
    ["<META content='height=90, width=728' name='ad.size' />", [728, 90]],
    ['<meta name=ad.size content="width=160;height=600">', [160, 600]],
    ['<body><gwd-page id="p" data-gwd-width="320px" data-gwd-height="50px">', [320, 50]],
    ['<style>.gwd-page-size { width: 970px; height: 250px }</style>', [970, 250]],
    ['lib.properties = { id: "X", width: 336, height: 280, fps: 24 }', [336, 280]],
    ['<div id="animation_container"><canvas id="canvas" width="300" height="600"></canvas>', [300, 600]],
    ["googletag.defineSlot('/1/x', [300, 250], 'a')", [300, 250]],
  ])('the size of an HTML document is read from %s', (html, [width, height]) => {
    expect(documentSize(html)).toEqual({ width, height });
  });

  it.each([
    '<!-- <meta name="ad.size" content="width=1,height=1"> --><p>x',
    '<img width=300 height=250>',
    '<meta name="viewport" content="width=300">',
    '<meta name="ad.size" content="width=0,height=0">',
    '<body><gwd-page data-gwd-width="0px" data-gwd-height="0px">',
  ])('the size of an HTML document is unknown for %s', (html) => {
    expect(documentSize(html)).toBeUndefined();
  });
});

describe('the size of a tag', () => {
  it.each([
    ['<iframe src="x" width="300" height="250"></iframe>', [300, 250]],
    ['<img src=a width=728px height=90px>', [728, 90]],
    ['<img src=pixel width=1 height=1><img src=a width=320 height=50>', [320, 50]],
    ['<script src=x data-width="970" data-height="90"></script>', [970, 90]],
    ["<ins class='dcmads' style='display:inline-block;width:300px;height:600px'></ins>", [300, 600]],
    ['<script src="https://ad.example/adj/N1;x?sz=160x600;ord=1"></script>', [160, 600]],
  ])('the size of a tag is read from %s', (tag, [width, height]) => {
    expect(tagSize(tag)).toEqual({ width, height });
  });

  it.each(['<script>document.write("x")</script>', '<img width="100%" height=250>', '<div style="max-width:300px">'])(
    'the size of a tag is unknown for %s',
    (tag) => {
      expect(tagSize(tag)).toBeUndefined();
    },
  );
});

describe('the only resource of a tag', () => {
  it.each([
    ['<script src="http://a.test/x.js?a=1&amp;b=2"></script>', 'http://a.test/x.js?a=1&b=2'],
    [
      '<a href="http://b.test"><img src="http://a.test/i.png"></a><img src="http://c.test/p" width="1" height="1">',
      'http://a.test/i.png',
    ],
    [
      '<script src="http://a.test/x.js"></script><noscript><img src="http://a.test/n.png"></noscript>',
      'http://a.test/x.js',
    ],
  ])('the only resource of a tag is found in %s', (tag, source) => {
    expect(onlySource(tag)).toBe(source);
  });

  it.each([
    '<b>text</b><script src="http://a.test/x.js"></script>',
    '<img src="http://a.test/1"><img src="http://a.test/2">',
    '<img src="data:,">',
    '<script>1</script>',
  ])('no only resource is found in %s', (tag) => {
    expect(onlySource(tag)).toBeUndefined();
  });
});

/** A slow regular expression would block the whole process for minutes, so each of these must be read at once. */
describe('markup that is expensive to parse', () => {
  const readers = { documentSize, tagSize, onlySource, svgSize, tagDocument };
  it.each([
    '<!--',
    '<!---->',
    '<meta ',
    '<a ',
    '<a data-width=',
    '<a data-width ',
    'gwd-<body data-gwd-width=',
    '.gwd-page-container ',
    '.gwd-page-size{',
    'lib.properties={',
    '<canvas id="canvas',
    'defineSlot(',
    '<ins style=',
    '<noscript',
    '<iframe src',
    '<svg ',
    '<svg width="1',
    '<a width=" ',
    "<a width='>",
    '>',
    '1',
  ])('markup that repeats %s is parsed in a limited time', (piece) => {
    const text = `<svg width="${piece.repeat(Math.ceil(1_000_000 / piece.length))}`;
    for (const [name, read] of Object.entries(readers)) {
      const startedAt = process.cpuUsage();
      read(text);
      read(text.slice(12));
      const { user, system } = process.cpuUsage(startedAt);
      expect((user + system) / 1e6, `${name}, seconds of processor time`).toBeLessThan(3);
    }
  });
});
