import { describe, expect, it } from 'vitest';
import { bestFile, parseVast, resolveVast } from '../../../../src/capture/creative/vast.ts';

const inline = (files: string) =>
  `<?xml version="1.0"?><VAST version="4.2"><Ad id="a"><InLine><Creatives><Creative><CompanionAds/></Creative>
  <Creative><Linear><MediaFiles>${files}</MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;
const file = (url: string, attributes: string) => `<MediaFile ${attributes}><![CDATA[\n ${url}\n]]></MediaFile>`;
const wrapper = (next: string) =>
  `<VAST version="3.0"><Ad><Wrapper><VASTAdTagURI><![CDATA[ ${next} ]]></VASTAdTagURI></Wrapper></Ad></VAST>`;
const none = () => Promise.reject(new Error('nothing is to be read'));

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
    expect(bestFile(await resolveVast({ xml }, none))).toMatchObject({
      url: 'http://a.test/hd.mp4',
      size: { width: 1920, height: 1080 },
    });
  });

  it('the address of a media file keeps its ampersands, escaped or not', async () => {
    const xml = inline('<MediaFile type="video/mp4">http://a.test/v.mp4?a=1&amp;b=2</MediaFile>');
    expect((await resolveVast({ xml }, none))[0]?.url).toBe('http://a.test/v.mp4?a=1&b=2');
  });

  it('the media file of a VAST is found behind wrappers with relative addresses', async () => {
    const documents: Record<string, string> = {
      'http://b.test/2': wrapper('/3'),
      'http://b.test/3': inline(file('v.mp4', 'type="video/mp4"')),
    };
    const files = await resolveVast({ xml: wrapper('http://b.test/2') }, async (url) => ({
      xml: documents[url] ?? '',
      url,
    }));
    expect(files[0]?.url).toBe('http://b.test/v.mp4');
  });

  it('a VAST that is larger than 1 MB is rejected', () => {
    const huge = `<VAST>${'<Ad></Ad>'.repeat(120_000)}</VAST>`;
    expect(() => parseVast(huge)).toThrow('The VAST is larger than 1 MB.');
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
    expect(await resolveVast(first, chain(5))).toHaveLength(1);
    await expect(resolveVast(first, chain(6))).rejects.toThrow(/more than 5 nested wrappers/);
  });

  it('VAST wrappers in a circle are rejected', async () => {
    const read = async (url: string) => ({
      xml: wrapper(url.endsWith('1') ? 'http://d.test/2' : 'http://d.test/1'),
      url,
    });
    await expect(resolveVast({ xml: wrapper('http://d.test/1') }, read)).rejects.toThrow(/circle/);
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
  ])('a VAST with %s is rejected with a reason', (_, xml, words) => {
    expect(() => parseVast(xml)).toThrow(words);
  });

  it('a VAST with only files that no browser plays is rejected with a reason', async () => {
    const files = await resolveVast({ xml: inline(file('http://a.test/x.flv', 'type="video/x-flv"')) }, none);
    expect(() => bestFile(files)).toThrow(/only video\/x-flv/);
  });
});
