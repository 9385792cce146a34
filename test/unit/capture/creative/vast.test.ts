import { describe, expect, it } from 'vitest';
import { resolveVast, type VastDocument } from '../../../../src/capture/creative/vast.ts';
import { decodeXml, type MediaFile } from '../../../../src/capture/creative/vastAds.ts';

const inline = (files: string) =>
  `<?xml version="1.0"?><VAST version="4.2"><Ad id="a"><InLine><Creatives><Creative><CompanionAds/></Creative>
  <Creative><Linear><MediaFiles>${files}</MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;
const file = (url: string, attributes: string) => `<MediaFile ${attributes}><![CDATA[\n ${url}\n]]></MediaFile>`;
const wrapper = (next: string) =>
  `<VAST version="3.0"><Ad><Wrapper><VASTAdTagURI><![CDATA[ ${next} ]]></VASTAdTagURI></Wrapper></Ad></VAST>`;
const read = () => Promise.reject(new Error('nothing is to be read'));
/** The answers to further documents by their URL. */
const documents = (answers: Record<string, string>) => async (url: string) => ({ xml: answers[url] ?? '', url });

async function fileOf(first: VastDocument, options: Parameters<typeof resolveVast>[1] = { read }): Promise<MediaFile> {
  const content = await resolveVast(first, options);
  if (content.kind !== 'video') throw new Error('The VAST gives no video.');
  return content.file;
}

describe('the media file of a VAST', () => {
  it('the media file of a VAST is the largest that a browser plays, up to full HD', async () => {
    const xml = inline(
      file('http://a.test/4k.mp4', 'type="video/mp4" width="3840" height="2160" bitrate="9000"') +
        file('http://a.test/small.mp4', 'type="video/mp4" width="640" height="360" bitrate="500"') +
        file('http://a.test/hd.webm', 'type="video/webm" width="1920" height="1080" bitrate="2500"') +
        file('http://a.test/hd.mp4', 'type="video/mp4" width="1920" height="1080" bitrate="2500"') +
        file('http://a.test/ad.js', 'type="application/javascript" apiFramework="VPAID" width="1920" height="1080"') +
        file('http://a.test/x.flv', 'type="video/x-flv" width="1920" height="1080"'),
    );
    expect(await fileOf({ xml })).toMatchObject({
      url: 'http://a.test/hd.mp4',
      size: { width: 1920, height: 1080 },
    });
  });

  it.each([
    'type=" video/mp4 ; codecs=&quot;avc1&quot;"',
    'type="video/x-mp4"',
    'type="mp4"',
    'type="application/octet-stream"',
    'type="VIDEO/MPEG"',
    '',
  ])('a media file whose address ends with .mp4 is the video with the attributes <%s>', async (attributes) => {
    expect((await fileOf({ xml: inline(file('http://a.test/v.mp4?x=1', attributes)) })).url).toBe(
      'http://a.test/v.mp4?x=1',
    );
  });

  it('the bytes decide about a media file if neither its type nor its address does', async () => {
    const xml = inline(
      file('http://a.test/1', 'type="application/octet-stream" width="640" height="360"') +
        file('http://a.test/2', 'type="video/x-mp4" width="320" height="180"') +
        file('http://a.test/unit', 'type="application/javascript" width="999" height="999"'),
    );
    const asked: string[] = [];
    const isVideo = async (url: string) => {
      asked.push(url);
      return url.endsWith('/2');
    };
    expect((await fileOf({ xml }, { read, isVideo })).url).toBe('http://a.test/2');
    expect(asked).toEqual(['http://a.test/1', 'http://a.test/2']);
    await expect(resolveVast({ xml }, { read, isVideo: async () => false })).rejects.toThrow(/VPAID unit/);
  });

  it('a file with a certain type is the video, and no other file is read', async () => {
    const xml = inline(
      file('http://a.test/1', 'type="application/octet-stream" width="1920" height="1080"') +
        file('http://a.test/v', 'type="video/mp4" width="320" height="180"'),
    );
    expect((await fileOf({ xml }, { read, isVideo: read })).url).toBe('http://a.test/v');
  });

  it('the address of a media file keeps its ampersands, escaped or not', async () => {
    const xml = inline('<MediaFile type="video/mp4">http://a.test/v.mp4?a=1&amp;b=2</MediaFile>');
    expect((await fileOf({ xml })).url).toBe('http://a.test/v.mp4?a=1&b=2');
  });

  it('the media file of a VAST is found behind wrappers with relative addresses', async () => {
    const answers = {
      'http://b.test/2': wrapper('/3'),
      'http://b.test/3': inline(file('v.mp4', 'type="video/mp4"')),
    };
    const found = await fileOf({ xml: wrapper('http://b.test/2') }, { read: documents(answers) });
    expect(found.url).toBe('http://b.test/v.mp4');
  });

  it('a VAST that is larger than 1 MB is rejected', async () => {
    const huge = `<VAST>${'<Ad></Ad>'.repeat(120_000)}</VAST>`;
    await expect(resolveVast({ xml: huge }, { read })).rejects.toThrow('The VAST is larger than 1 MB.');
  });

  it('a media file may be behind five wrappers and is rejected behind six', async () => {
    const chain = (depth: number) => async (url: string) => {
      const at = Number(new URL(url).pathname.slice(1));
      return {
        xml: at < depth ? wrapper(`http://c.test/${at + 1}`) : inline(file('http://c.test/v.mp4', 'type="video/mp4"')),
        url,
      };
    };
    const first = { xml: wrapper('http://c.test/1') };
    expect((await fileOf(first, { read: chain(5) })).url).toBe('http://c.test/v.mp4');
    await expect(resolveVast(first, { read: chain(6) })).rejects.toThrow(/more than 5 nested wrappers/);
  });

  it('VAST wrappers in a circle are rejected', async () => {
    const circle = async (url: string) => ({
      xml: wrapper(url.endsWith('1') ? 'http://d.test/2' : 'http://d.test/1'),
      url,
    });
    await expect(resolveVast({ xml: wrapper('http://d.test/1') }, { read: circle })).rejects.toThrow(/circle/);
  });
});

describe('a VAST without a video', () => {
  it.each([
    ['no ad', '<VAST version="3.0"></VAST>', /no ad/],
    [
      'no linear creative',
      '<VAST><Ad><InLine><Creatives><Creative><NonLinearAds/></Creative></Creatives></InLine></Ad></VAST>',
      /no video file/,
    ],
    ['an entity', '<!DOCTYPE x [<!ENTITY a "aaaa">]><VAST>&a;</VAST>', /entities/],
    ['other XML', '<rss/>', /not VAST/],
  ])('a VAST with %s is rejected with a reason', async (_, xml, words) => {
    await expect(resolveVast({ xml }, { read })).rejects.toThrow(words);
  });

  it('a VAST with only files that no browser plays is rejected with a reason', async () => {
    const xml = inline(file('http://a.test/x.flv', 'type="video/x-flv"'));
    await expect(resolveVast({ xml }, { read })).rejects.toThrow(/only video\/x-flv/);
  });
});

const vast = (...ads: string[]) => `<VAST version="4.2">${ads.join('')}</VAST>`;
const ad = (creatives: string, attributes = '') =>
  `<Ad ${attributes}><InLine><Creatives>${creatives}</Creatives></InLine></Ad>`;
const wrapped = (next: string) => `<Ad><Wrapper><VASTAdTagURI>${next}</VASTAdTagURI></Wrapper></Ad>`;
const linear = (files: string) => `<Creative><Linear><MediaFiles>${files}</MediaFiles></Linear></Creative>`;
const film = (name: string, attributes = '') => file(`http://a.test/${name}`, `type="video/mp4" ${attributes}`);
const companion = (width: number, height: number, resource: string) =>
  `<Creative><CompanionAds><Companion width="${width}" height="${height}">${resource}</Companion></CompanionAds></Creative>`;
const picture = (url: string) => `<StaticResource creativeType="image/png"><![CDATA[${url}]]></StaticResource>`;

describe('an ad pod', () => {
  it('the first video of a pod is that of the lowest sequence, not the first in the document', async () => {
    const xml = vast(
      ad(linear(film('alone.mp4'))),
      ad(linear(film('second.mp4')), 'sequence="2"'),
      ad(linear(film('first.mp4')), 'sequence="1"'),
    );
    expect((await fileOf({ xml })).url).toBe('http://a.test/first.mp4');
  });

  it('an ad of a pod without a video is skipped', async () => {
    const xml = vast(
      ad(companion(300, 250, picture('http://a.test/c.png')), 'sequence="1"'),
      ad(linear(film('v.mp4'))),
    );
    expect((await fileOf({ xml })).url).toBe('http://a.test/v.mp4');
  });

  it('an ad of a pod that does not load is skipped with a warning', async () => {
    const xml = vast(wrapped('http://e.test/gone'), wrapped('http://e.test/there'));
    const answers = { 'http://e.test/there': vast(ad(linear(film('v.mp4')))) };
    const content = await resolveVast({ xml }, { read: documents(answers) });
    expect(content).toMatchObject({ kind: 'video', file: { url: 'http://a.test/v.mp4' } });
    expect(content.warnings).toMatchObject([{ code: 'part_shown', message: expect.stringContaining('was skipped') }]);
  });

  it('the number of documents of a pod is limited', async () => {
    let asked = 0;
    const many = vast(...Array.from({ length: 30 }, (_, n) => wrapped(`http://f.test/${n}`)));
    const count = async () => {
      asked += 1;
      return { xml: vast() };
    };
    await expect(resolveVast({ xml: many }, { read: count })).rejects.toThrow(/more than 20 documents/);
    expect(asked).toBe(19);
  });
});

describe('a VMAP', () => {
  const vmap = (...breaks: string[]) =>
    `<vmap:VMAP xmlns:vmap="http://www.iab.net/videosuite/vmap" version="1.0">${breaks.join('')}</vmap:VMAP>`;
  const adBreak = (at: string, source: string) =>
    `<vmap:AdBreak timeOffset="${at}" breakType="linear"><vmap:AdSource>${source}</vmap:AdSource></vmap:AdBreak>`;
  const inlined = (xml: string) => `<vmap:VASTAdData>${xml}</vmap:VASTAdData>`;
  const referred = (url: string) => `<vmap:AdTagURI templateType="vast3"><![CDATA[${url}]]></vmap:AdTagURI>`;

  it('the ad of a VMAP is that of its first break in time', async () => {
    const xml = vmap(
      adBreak('end', inlined(vast(ad(linear(film('post.mp4')))))),
      adBreak('00:10:23.125', inlined(vast(ad(linear(film('mid.mp4')))))),
      adBreak('start', referred('/pre')),
    );
    const answers = { 'http://g.test/pre': vast(ad(linear(film('pre.mp4')))) };
    const found = await fileOf({ xml, url: 'http://g.test/vmap' }, { read: documents(answers) });
    expect(found.url).toBe('http://a.test/pre.mp4');
  });

  it('a break without an ad is skipped', async () => {
    const xml = vmap(adBreak('start', inlined(vast())), adBreak('50%', inlined(vast(ad(linear(film('half.mp4')))))));
    expect((await fileOf({ xml })).url).toBe('http://a.test/half.mp4');
  });

  it('a break whose VAST is written as text is read', async () => {
    const text = vast(ad(linear(film('text.mp4'))))
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;');
    expect((await fileOf({ xml: vmap(adBreak('start', inlined(text))) })).url).toBe('http://a.test/text.mp4');
  });

  it('a VMAP without a break is rejected with a reason', async () => {
    await expect(resolveVast({ xml: vmap() }, { read })).rejects.toThrow(/holds no ad/);
  });
});

describe('a VAST with a video and companions', () => {
  const xml = vast(ad(linear(film('v.mp4', 'width="640" height="360"')) + companion(300, 250, picture('/c.png'))));
  const of = (width: number, height: number) =>
    resolveVast({ xml, url: 'http://h.test/vast' }, { read, size: { width, height } });

  it('the companion that has exactly the size of the ad is shown, with a warning', async () => {
    expect(await of(300, 250)).toMatchObject({
      kind: 'display',
      ad: { role: 'companion', resource: { kind: 'image', url: 'http://h.test/c.png' } },
      warnings: [{ code: 'part_shown', message: expect.stringContaining('companion of 300 × 250') }],
    });
  });

  it('the video is shown at any other size, and if it has the size of the companion itself', async () => {
    expect((await of(640, 360)).kind).toBe('video');
    expect((await of(301, 250)).kind).toBe('video');
    expect((await resolveVast({ xml }, { read, size: { width: 300, height: 250 } })).kind).toBe('video');
    const same = xml.replace('width="640" height="360"', 'width="300" height="250"');
    const given = { read, size: { width: 300, height: 250 } };
    expect((await resolveVast({ xml: same, url: 'http://h.test/vast' }, given)).kind).toBe('video');
  });
});

describe('a VAST with only companions or non-linear ads', () => {
  const two = vast(
    ad(
      companion(300, 250, picture('/small.png')) +
        companion(728, 90, '<HTMLResource><![CDATA[<b>wide</b>]]></HTMLResource>'),
    ),
  );

  it('a VAST without a video gives its first companion, with a warning that names the others', async () => {
    const content = await resolveVast({ xml: two, url: 'http://h.test/vast' }, { read });
    expect(content).toMatchObject({
      kind: 'display',
      ad: { size: { width: 300, height: 250 }, resource: { kind: 'image', url: 'http://h.test/small.png' } },
      warnings: [{ code: 'part_shown', message: expect.stringContaining('728 × 90') }],
    });
  });

  it('the size of the request chooses between companions', async () => {
    const content = await resolveVast(
      { xml: two, url: 'http://h.test/vast' },
      { read, size: { width: 728, height: 90 } },
    );
    expect(content).toMatchObject({ kind: 'display', ad: { resource: { kind: 'html', html: '<b>wide</b>' } } });
  });

  const sizes = (...all: readonly (readonly [number, number])[]) =>
    vast(ad(all.map(([width, height]) => companion(width, height, picture(`http://a.test/${width}.png`))).join('')));

  it.each([
    [
      'the largest that fits into the requested size',
      [
        [300, 250],
        [728, 90],
        [300, 50],
      ],
      { width: 320, height: 300 },
      300,
    ],
    [
      'the first of a standard size, if nothing fits',
      [
        [648, 480],
        [728, 90],
      ],
      { width: 100, height: 100 },
      728,
    ],
    [
      'the first of a standard size, if no size is requested',
      [
        [648, 480],
        [300, 250],
        [728, 90],
      ],
      undefined,
      300,
    ],
    [
      'the first, if none has a standard size',
      [
        [648, 480],
        [333, 222],
      ],
      undefined,
      648,
    ],
  ] as const)('among several companions the VAST gives %s', async (_, all, size, width) => {
    const content = await resolveVast({ xml: sizes(...all) }, { read, size });
    expect(content).toMatchObject({ kind: 'display', ad: { size: { width } } });
  });

  it('a non-linear ad is shown if there is neither a video nor a companion', async () => {
    const nonLinear = `<NonLinear width="480" height="70"><IFrameResource>http://h.test/page</IFrameResource></NonLinear>`;
    const xml = vast(ad(`<Creative><NonLinearAds>${nonLinear}</NonLinearAds></Creative>`));
    expect(await resolveVast({ xml }, { read })).toMatchObject({
      kind: 'display',
      ad: {
        role: 'non-linear ad',
        size: { width: 480, height: 70 },
        resource: { kind: 'page', url: 'http://h.test/page' },
      },
    });
  });

  it('an audio ad gives its companion, and without a companion it is rejected with a reason', async () => {
    const sound = linear(file('http://a.test/ad.mp3', 'type="audio/mp3"'));
    const content = await resolveVast(
      { xml: vast(ad(sound + companion(300, 250, picture('http://a.test/c.png')))) },
      { read },
    );
    expect(content).toMatchObject({ kind: 'display', warnings: [{ message: expect.stringContaining('audio ad') }] });
    await expect(resolveVast({ xml: vast(ad(sound)) }, { read })).rejects.toThrow(/audio ad .* nothing to show/);
  });
});

describe('an interactive VAST', () => {
  const script = file('http://a.test/unit.js', 'type="application/javascript" apiFramework="VPAID"');

  it('a VPAID unit alone is rejected with a reason that says what to send', async () => {
    await expect(resolveVast({ xml: vast(ad(linear(script))) }, { read })).rejects.toThrow(/VPAID unit .* MP4 file/);
    const flash = file('http://a.test/unit.swf', 'type="application/x-shockwave-flash" apiFramework="VPAID"');
    await expect(resolveVast({ xml: vast(ad(linear(flash))) }, { read })).rejects.toThrow(/only a Flash file/);
  });

  it('the video beside a VPAID unit or a SIMID layer is shown with a warning', async () => {
    const layer = '<InteractiveCreativeFile apiFramework="SIMID">http://a.test/simid.html</InteractiveCreativeFile>';
    for (const [files, name] of [
      [script + film('v.mp4'), 'VPAID'],
      [film('v.mp4') + layer, 'SIMID'],
    ] as const) {
      const content = await resolveVast({ xml: vast(ad(linear(files))) }, { read });
      expect(content).toMatchObject({ kind: 'video', file: { url: 'http://a.test/v.mp4' } });
      expect(content.warnings).toMatchObject([{ code: 'part_shown', message: expect.stringContaining(name) }]);
    }
  });

  it('an MP4 file that declares VPAID is a video', async () => {
    const content = await resolveVast({ xml: vast(ad(linear(film('v.mp4', 'apiFramework="VPAID"')))) }, { read });
    expect(content).toMatchObject({ kind: 'video', file: { url: 'http://a.test/v.mp4' }, warnings: [] });
  });
});

it('the video of a VAST 1 document is found', async () => {
  const media =
    '<MediaFile type="video/mp4" width="600" height="396"><URL><![CDATA[ http://a.test/1.mp4 ]]></URL></MediaFile>';
  const xml = `<VideoAdServingTemplate><Ad><InLine><Video><MediaFiles>${media}</MediaFiles></Video></InLine></Ad></VideoAdServingTemplate>`;
  expect(await fileOf({ xml })).toMatchObject({ url: 'http://a.test/1.mp4', size: { width: 600, height: 396 } });
});

it('a mezzanine file is shown only if no media file can be played', async () => {
  const mezzanine = '<Mezzanine type="video/mp4" width="1920" height="1080">http://a.test/source.mp4</Mezzanine>';
  const stream = file('http://a.test/list.m3u8', 'type="application/x-mpegURL"');
  expect((await fileOf({ xml: vast(ad(linear(mezzanine + stream))) })).url).toBe('http://a.test/source.mp4');
  expect((await fileOf({ xml: vast(ad(linear(mezzanine + film('small.mp4')))) })).url).toBe('http://a.test/small.mp4');
  await expect(resolveVast({ xml: vast(ad(linear(stream))) }, { read })).rejects.toThrow(/only a stream/);
});

it('an address without a scheme is read as HTTPS', async () => {
  const media = file('//a.test/v.mp4', 'type="video/mp4"');
  expect((await fileOf({ xml: vast(ad(linear(media))) })).url).toBe('https://a.test/v.mp4');
});

it('an XML document is decoded by its byte order mark or its declaration', () => {
  expect(decodeXml(Buffer.from('\uFEFF<VAST>é</VAST>', 'utf16le'))).toBe('<VAST>é</VAST>');
  expect(decodeXml(Buffer.from('\uFEFF<VAST>é</VAST>', 'utf16le').swap16())).toBe('<VAST>é</VAST>');
  expect(decodeXml(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1'))).toContain('é');
  expect(decodeXml(Buffer.from('<a>é</a>'))).toContain('é');
});
