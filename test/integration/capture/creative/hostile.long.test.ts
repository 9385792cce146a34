import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { colourAt, file, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';

let renderer: TestRenderer;
/** For requests that get no answer. */
let impatient: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
  impatient = await startTestRenderer({ networkBudgetMs: 2_000, fetchTimeoutMs: 3_000 });
  impatient.put('/hang', 'hang');
});
afterAll(async () => {
  await renderer.close();
  await impatient.close();
});

const BOX = '<div style="width:300px;height:250px;background:rgb(0,120,0)"></div>';
const GREEN = [0, 120, 0];

describe('a creative that behaves badly', () => {
  it.each([
    ['runs a loop without end', `${BOX}<script>while(true);</script>`],
    [
      'runs a loop without end in an animation frame',
      `${BOX}<script>requestAnimationFrame(() => { while (true); })</script>`,
    ],
    [
      'sends itself messages without end',
      `${BOX}<script>const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(1); c.port2.postMessage(1)</script>`,
    ],
    [
      'opens dialogs without end',
      `${BOX}<script>for (let i = 0; i < 1e3; i++) { alert(1); confirm(2); prompt(3); }</script>`,
    ],
    ['opens many windows', `${BOX}<script>for (let i = 0; i < 50; i++) window.open('http://127.0.0.1:1/')</script>`],
    [
      'tries to navigate the top window',
      `${BOX}<script>try { top.location = 'http://127.0.0.1:1/' } catch {} setInterval(() => { try { top.location.href = 'about:blank' } catch {} }, 50)</script>`,
    ],
    [
      'asks before it unloads',
      `${BOX}<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }</script>`,
    ],
    [
      'starts a download',
      `${BOX}<a id="a" download="x" href="data:application/octet-stream,x"></a><script>a.click()</script>`,
    ],
    ['throws an exception', `${BOX}<script>throw new Error('x')</script>`],
    ['opens the print dialog', `${BOX}<script>print()</script>`],
    ['has characters that are not valid Unicode', `${BOX}\u0000\ufffd\ud800`],
  ])('a creative that %s is shown', (_, content) => isShown(renderer, content));

  it.each([
    ['never stops loading an image', `${BOX}<img src="BASE/hang">`],
    [
      'keeps a stream open',
      `${BOX}<script>new EventSource('BASE/hang'); fetch('BASE/hang'); new WebSocket('ws://127.0.0.1:1/')</script>`,
    ],
  ])('a creative that %s is shown', (_, content) => isShown(impatient, content.replaceAll('BASE', impatient.base)));

  async function isShown(by: TestRenderer, content: string): Promise<void> {
    const { frames, width, height } = await by.rendered(tag(content), { markers: [0, null], ratios: [1, 2] });
    expect([width, height]).toEqual([300, 250]);
    for (const frame of frames) expect(await colourAt(frame)).toEqual(GREEN);
  }

  it('a page that may not be in a frame is shown, and its dialog is dismissed', async () => {
    const body = `<meta name="ad.size" content="width=300,height=250"><body style="margin:0">${BOX}<script>alert(1)</script>`;
    const source = renderer.put('/alone', {
      type: 'text/html',
      body,
      headers: { 'content-security-policy': "frame-ancestors 'self'" },
    });
    const { frames, notes } = await renderer.rendered(source);
    expect(await colourAt(frames[0])).toEqual(GREEN);
    expect(notes).toContain('A dialog (alert) was dismissed.');
  });

  it('a tag whose image is missing is shown, and its notes name the image', async () => {
    const { notes, frames, width } = await renderer.rendered(
      tag(`${BOX}<img src="${renderer.base}/none.png" width="20">`),
    );
    expect(notes).toEqual([`An image did not load: ${renderer.base}/none.png`, 'Size 300×250: the tag.']);
    expect(await colourAt(frames[0])).toEqual(GREEN);
    expect(width).toBe(300);
  });

  it('a page with a content type that browsers do not display is shown', async () => {
    renderer.put('/types/style.css', {
      type: 'text/css',
      body: 'div { width: 300px; height: 250px; background: rgb(0,120,0) }',
    });
    for (const type of ['text/plain', 'application/octet-stream', 'binary/octet-stream']) {
      const body = '<!doctype html><link rel="stylesheet" href="style.css"><body style="margin:0"><div></div>';
      const { frames, width, height } = await renderer.rendered(renderer.put('/types/ad.bin', { type, body }));
      expect([width, height]).toEqual([300, 250]);
      expect(await colourAt(frames[0])).toEqual(GREEN);
    }
  });

  it('a tag whose image never arrives is shown, and its notes name the request', async () => {
    const { notes } = await impatient.rendered(tag(`${BOX}<img src="${impatient.base}/hang">`));
    expect(notes.join()).toMatch(/These requests did not finish in time: 127\.0\.0\.1:\d+\/hang/);
  });
});

describe('a creative that cannot be shown', () => {
  const failed = async (
    source: Parameters<TestRenderer['render']>[0],
    status: string,
    words: RegExp,
    by: TestRenderer = renderer,
  ) => {
    expect(await by.render(source)).toEqual({ status, reason: expect.stringMatching(words) });
  };
  const vast = (body: string) => ({ type: 'text/xml', body: `<VAST version="3.0">${body}</VAST>` });

  it('a creative whose address answers 410 fails with that status', () =>
    failed(renderer.put('/gone', { status: 410, type: 'text/html', body: 'gone' }), 'not_found', /410/));
  it('a creative on an unknown host fails with a reason', () =>
    failed({ kind: 'url', content: 'http://no-such-host.invalid/x' }, 'not_found', /could not be found/));
  it('a creative whose address answers 403 fails with that status', () =>
    failed(renderer.put('/403', { status: 403, type: 'text/html', body: 'no' }), 'generic_error', /403/));
  it('a creative whose address answers 500 fails with that status', () =>
    failed(renderer.put('/500', { status: 500, type: 'text/html', body: 'no' }), 'generic_error', /500/));
  it('a creative whose address answers 204 fails because it has no ad', () =>
    failed(renderer.put('/204', { status: 204, type: 'text/html', body: '' }), 'generic_error', /no ad/));
  it('a creative whose address never answers fails with net_read_timeout', () =>
    failed({ kind: 'url', content: `${impatient.base}/hang` }, 'net_read_timeout', /did not answer/, impatient));
  it('a creative at a port that refuses connections fails with a reason', () =>
    failed({ kind: 'url', content: 'http://127.0.0.1:1/' }, 'generic_error', /connection refused/));
  it('a creative at a private address is refused', () =>
    failed({ kind: 'url', content: 'http://10.1.2.3/' }, 'generic_error', /refused/));
  it('a tag whose script is missing fails with status 404', () =>
    failed(tag(`<script src="${renderer.base}/none.js"></script>`), 'not_found', /404/));
  it('a tag whose frame is missing fails with status 404', () =>
    failed(tag(`<iframe src="${renderer.base}/none" width="300" height="250"></iframe>`), 'not_found', /404/));
  it('HTML with the content type of an image fails with a reason', () =>
    failed(
      renderer.put('/page.png', { type: 'image/png', body: '<!doctype html><p>Not found' }),
      'generic_error',
      /ends with \.png, but the server answered with an HTML page/,
    ));
  it('a creative with only missing or damaged images fails with a reason', async () => {
    renderer.put('/damaged.png', { type: 'image/png', body: 'x' });
    const [dead, damaged] = ['none.png', 'damaged.png'].map(
      (name) => `<img src="${renderer.base}/${name}" width="300">`,
    );
    await failed(
      tag(`${dead}<img src="data:,x" width="1" height="1">`),
      'not_found',
      /none\.png answered with HTTP status 404/,
    );
    await failed(tag(`${damaged}<script>1</script>`), 'generic_error', /only an image that is missing or damaged/);
    await failed(
      file('x', await zipOf({ 'index.html': '<img src="none.png" width="300" height="250">' })),
      'not_found',
      /404/,
    );
  });
  it('a page whose style sheet never arrives fails with net_read_timeout', async () => {
    const body = `<meta name="ad.size" content="width=300,height=250"><link rel="stylesheet" href="/hang"><body>${BOX}`;
    const source = impatient.put('/blocked', { type: 'text/html', body });
    await failed(source, 'net_read_timeout', /hang did not answer/, impatient);
  });
  it('a tag that draws nothing fails with a reason', () =>
    failed(tag('<script>1</script>'), 'generic_error', /shows nothing/));
  it('an empty tag fails with a reason', () => failed(tag('  '), 'generic_error', /empty/));
  it('a tag with endless scripts fails with a reason', () =>
    failed(tag(`${BOX}<script>setInterval(() => { while (true); }, 20)</script>`), 'generic_error', /never ends/));
  it('a tag that fills the heap fails as crashed, unless its script is stopped first', async () => {
    const result = await renderer.render(
      tag(
        `${BOX}<script>const a = []; setTimeout(() => { for (;;) a.push(new Array(1e6).fill(a.length + 0.5)); }, 10)</script>`,
      ),
    );
    if (result.status === 'uploaded') expect(result.notes).toContain('A script that did not end was stopped.');
    else expect(result).toEqual({ status: 'generic_error', reason: expect.stringMatching(/crashed/) });
  });
  it('a corrupt zip fails as damaged', async () =>
    failed(file('x', (await zipOf({ 'index.html': 'x' })).subarray(0, 50)), 'generic_error', /damaged/));
  it('a truncated image fails as damaged', async () => {
    const image = await sharp({
      create: {
        width: 300,
        height: 250,
        channels: 3,
        background: '#f00',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .jpeg()
      .toBuffer();
    await failed(file('x', image.subarray(0, image.length >> 1)), 'generic_error', /damaged/);
  });
  it('an image that is larger than any slot fails with its size', async () =>
    failed(
      file(
        'x',
        await sharp({ create: { width: 5_000, height: 10, channels: 3, background: '#f00' } })
          .png()
          .toBuffer(),
      ),
      'generic_error',
      /5000 × 10/,
    ));
  it('an image of 50,000 × 50,000 pixels fails because it is too large', () =>
    failed(file('x', pngHeader(50_000, 50_000)), 'generic_error', /too large|50000 × 50000/));
  it('an impossible size of a frame fails with that size', () =>
    failed(tag('<iframe src="about:blank" width="99999" height="250"></iframe>'), 'generic_error', /99999 × 250/));
  it('a video that cannot be decoded fails with a reason', () =>
    failed(
      file('x', Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.alloc(500)])),
      'generic_error',
      /cannot be played/,
    ));
  it('VAST wrappers in a circle fail with a reason', () =>
    failed(
      renderer.put('/loop', vast(`<Ad><Wrapper><VASTAdTagURI>${renderer.base}/loop</VASTAdTagURI></Wrapper></Ad>`)),
      'generic_error',
      /circle/,
    ));
  it('a VAST without an ad fails with a reason', () =>
    failed(renderer.put('/empty', vast('')), 'generic_error', /no ad/));
  it('a VAST whose video is missing fails with the address of the video', () =>
    failed(
      renderer.put(
        '/dead',
        vast(
          `<Ad><InLine><Creatives><Creative><Linear><MediaFiles><MediaFile type="video/mp4">${renderer.base}/none.mp4</MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad>`,
        ),
      ),
      'not_found',
      /none\.mp4/,
    ));

  it('a creative renders normally after other creatives failed', async () => {
    expect(await colourAt((await renderer.rendered(tag(BOX))).frames[0])).toEqual(GREEN);
  });
});

describe('the renderer', () => {
  it('a creative that is not rendered before the deadline fails', async () => {
    const hasty = await startTestRenderer({ creativeDeadlineMs: 700, networkBudgetMs: 30_000 });
    hasty.put('/hang', 'hang');
    const result = await hasty.render(tag(`${BOX}<img src="${hasty.base}/hang">`));
    expect(result).toEqual({ status: 'net_read_timeout', reason: expect.stringMatching(/not rendered within/) });
    await hasty.close();
  });

  it('a rendering stops when its signal aborts, and the next one succeeds', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('stopped by the test')), 100);
    await expect(
      renderer.render(tag(`${BOX}<script>setInterval(() => 1, 1)</script>`), {
        markers: [30_000],
        signal: stop.signal,
      }),
    ).rejects.toThrow('stopped by the test');
    expect(await colourAt((await renderer.rendered(tag(BOX))).frames[0])).toEqual(GREEN);
  });
});

/** A PNG whose header claims a size, with nothing to fill it. */
function pngHeader(width: number, height: number): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from('00000000000000000802000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(10)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
