import { XMLParser, XMLValidator } from 'fast-xml-parser';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { type FrameShape, framedSize, frameShape } from '../../../src/domain/frames.ts';
import { drawFrame } from '../../../src/framing/drawFrame.ts';
import { addressText, frameSvg } from '../../../src/framing/frameSvg.ts';

const size = framedSize({ width: 390, height: 844, ratio: 1 }, 'phone');
const svgOf = (address: string, given: { shape?: FrameShape; label?: string } = {}) =>
  frameSvg({
    shape: 'phone',
    address,
    time: '21 Nov 2026, 09:30 UTC',
    label: 'Placement preview',
    ratio: 1,
    size,
    ...given,
  });

test.each(['window', 'phone', 'tablet'] as const)('a %s has its label, except where it is not wanted', (shape) => {
  expect(svgOf('https://a.example/', { shape })).toContain('Placement preview');
  const without = svgOf('https://a.example/', { shape, label: '' });
  expect(without).not.toContain('Placement preview');
  expect(without).toContain('21 Nov 2026, 09:30 UTC');
});

test('a hostile address stays text in the SVG of a frame', () => {
  for (const address of [
    `https://a.example/"><script>alert(1)</script>`,
    `https://a.example/]]>&lt;&#0;<image href="file:///etc/passwd"/>`,
    `https://a.example/\u0000\u0007\uFFFE\uD800`,
    'not an address <b>',
  ]) {
    const svg = svgOf(address);
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(JSON.stringify(new XMLParser({ ignoreAttributes: false }).parse(svg))).not.toMatch(/"(script|image|b)"/);
  }
});

test('a long address keeps its host and its end', () => {
  const { host, rest } = addressText(`https://news.example/${'section/'.repeat(50)}story.html`, 60);
  expect(host).toBe('news.example');
  expect(rest).toMatch(/^\/section.*….*story\.html$/);
  expect(host.length + rest.length).toBeLessThanOrEqual(60);
});

test('an address shows its host and path in their own letters, without marks that turn text around', () => {
  expect(addressText('https://xn--ngbrx4e.example/%D8%A3?x=%E2%80%AEabc', 99)).toEqual({
    isSecure: true,
    host: 'عربي.example',
    rest: '/أ?x=abc',
  });
  expect(addressText('http://news.example:8080/', 99)).toEqual({
    isSecure: false,
    host: 'news.example:8080',
    rest: '',
  });
});

test('a frame is in the language of its options', async () => {
  const png = await sharp({ create: { width: 700, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const facts = { device: 'desktop', ratio: 1, width: 700, height: 10, address: 'https://a.example/' };
  const capturedAt = new Date('2026-11-21T09:30:00Z');
  const given = { frame: 'browser', label: true, timeZone: 'Europe/Berlin', language: 'de' } as const;
  const drawn = await drawFrame(png, { ...facts, capturedAt }, given);
  const shape = { shape: 'window', size: framedSize(facts, 'window'), ratio: 1, address: facts.address } as const;
  const words = { label: 'Platzierungsvorschau', time: '21. Nov. 2026, 10:30 MEZ' };
  const expected = sharp(Buffer.from(frameSvg({ ...shape, ...words }))).composite([{ input: png, left: 1, top: 45 }]);
  expect(await sharp(drawn).raw().toBuffer()).toEqual(await expected.raw().toBuffer());
});

test.each([1, 2, 2.75, 3])('a framed picture keeps every pixel of the original at ratio %d', async (ratio) => {
  const [width, height] = [Math.round(120 * ratio), Math.round(90 * ratio)];
  const noise = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 7919) % 256));
  const png = await sharp(noise, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  for (const [frame, device] of [
    ['browser', 'desktop'],
    ['device', 'iphone'],
    ['device', 'ipad'],
  ] as const) {
    const facts = { device, ratio, width, height, address: 'https://a.example/', capturedAt: new Date(0) };
    const framed = await drawFrame(png, facts, { frame, label: true, timeZone: 'UTC' });
    const place = framedSize({ width, height, ratio }, frameShape(frame, device));
    const meta = await sharp(framed).metadata();
    expect([meta.width, meta.height]).toEqual([place.width, place.height]);
    const area = { left: place.left, top: place.top, width, height };
    const inside = await sharp(framed).extract(area).removeAlpha().raw().toBuffer();
    expect(inside.equals(noise)).toBe(true);
  }
});
