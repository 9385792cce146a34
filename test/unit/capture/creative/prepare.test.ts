import sharp from 'sharp';
import { expect, it } from 'vitest';
import { CreativeServer } from '../../../../src/capture/creative/creativeServer.ts';
import { sizeOfLayout } from '../../../../src/capture/creative/decideSize.ts';
import { prepare } from '../../../../src/capture/creative/prepare.ts';
import type { SizeClaims } from '../../../../src/capture/creative/sizeClaims.ts';
import { zipOf } from '../../../support/zips.ts';

/** The layout of an ad that fills any frame. */
const FILLED = {
  ...{ viewport: { width: 1_009, height: 761 }, roots: [], painted: null, filled: true, fits: true },
  ...{ sticksOut: false, offset: null, hasBackground: false, onlyText: false },
};
const INDEX = { 'index.html': '<p>Ad' };

async function claimsOf(name: string, files: Record<string, string | Buffer>): Promise<SizeClaims> {
  const server = new CreativeServer({ serve: () => undefined, remove: () => undefined });
  const fetch = () => Promise.reject(new Error('nothing is fetched'));
  const source = { kind: 'file', name, bytes: await zipOf(files) } as const;
  const prepared = await prepare(source, { fetch, server, userAgent: '', signal: new AbortController().signal });
  if (prepared.kind !== 'page') throw new Error(`The zip is prepared as ${prepared.kind}.`);
  return prepared.claims;
}

const picture = await sharp({ create: { width: 1_940, height: 500, channels: 3, background: '#f00' } })
  .png()
  .toBuffer();

it.each<[string, Record<string, string | Buffer>, string, string, string[]]>([
  ['the name of the zip', INDEX, 'Brand_Spring_728x90_v2.zip', '728x90', []],
  ['the name of its folder', { '160x600/index.html': '<p>Ad' }, 'a.zip', '160x600', []],
  ['the name of a picture', { ...INDEX, 'img/bg_970x250.png': '' }, 'a.zip', '970x250', []],
  ['nothing', INDEX, 'a.zip', '300x250', ['size_assumed']],
  ['a word in its name', INDEX, 'Client_Leaderboard.zip', '728x90', ['size_assumed']],
  ['the proportions of its largest picture', { ...INDEX, 'bg.png': picture }, 'a.zip', '970x250', ['size_assumed']],
])('an ad that fills any frame gets its size from %s', async (_, files, name, expected, codes) => {
  const decision = sizeOfLayout(FILLED, await claimsOf(name, files));
  expect(`${decision?.size.width}x${decision?.size.height}`).toBe(expected);
  expect(decision?.warnings.map(({ code }) => code)).toEqual(codes);
});

it.each<[string, Record<string, string | Buffer>, number[]]>([
  [
    'the manifest of the ad server',
    { ...INDEX, 'manifest.json': '{"width":"320","height":"480","source":"index.html"}' },
    [320, 480],
  ],
  [
    'an ad.size in UTF-16',
    { 'index.html': Buffer.from('\uFEFF<meta name="ad.size" content="width=970,height=250"><p>Ad', 'utf16le') },
    [970, 250],
  ],
])('a zip declares the size in %s', async (_, files, [width, height]) => {
  const { declared } = await claimsOf('a.zip', files);
  expect(declared[0]?.size).toEqual({ width, height });
});

it('the media file of a VAST that only its bytes show to be a video is fetched once', async () => {
  const file = '<MediaFile type="application/octet-stream" delivery="progressive">https://cdn.example/ad</MediaFile>';
  const linear = `<Linear><Duration>00:00:05</Duration><MediaFiles>${file}</MediaFiles></Linear>`;
  const ad = `<Ad><InLine><Creatives><Creative>${linear}</Creative></Creatives></InLine></Ad>`;
  const source = { kind: 'file', name: 'a.xml', bytes: Buffer.from(`<VAST version="3.0">${ad}</VAST>`) } as const;
  const body = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomavc1', 'latin1');
  const fetched: string[] = [];
  const fetch = async (url: string) => {
    fetched.push(url);
    return { status: 200, headers: new Headers(), body, url };
  };
  const server = new CreativeServer({ serve: () => undefined, remove: () => undefined });
  const prepared = await prepare(source, { fetch, server, userAgent: '', signal: new AbortController().signal });
  expect(prepared).toMatchObject({ kind: 'video', format: 'vast', fileBytes: body.length });
  expect(fetched).toEqual(['https://cdn.example/ad']);
});
