/** The tags have the shapes that the vendors' documentation and templates use. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { colourAt, file, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

const GREEN = [0, 128, 0];
/** By then each of these creatives has started. One looks for a library every 250 ms. */
const STARTED_MS = 300;
/** The letter saves the search for a later picture, which follows if all pictures have one color. */
const box = '<div id="ad" style="width:300px;height:250px;background:#999">A</div>';
const show = "document.getElementById('ad').style.background = 'rgb(0,128,0)';";

describe('mraid.js', () => {
  it.each([
    [
      'waits for ready and for viewable',
      `<script src="mraid.js"></script>${box}<script>
        function start() { if (mraid.isViewable()) go(); else mraid.addEventListener('viewableChange', function (on) { if (on) go(); }); }
        function go() { if (mraid.getState() === 'default' && mraid.getPlacementType() === 'inline') { ${show} } }
        if (mraid.getState() === 'loading') mraid.addEventListener('ready', start); else start();</script>`,
    ],
    [
      'waits for its exposure (MRAID 3)',
      `<script src="mraid.js"></script>${box}<script>
        mraid.addEventListener('exposureChange', function (percent) { if (percent >= 50) { ${show} } });</script>`,
    ],
    [
      'expects that the app injects it',
      `${box}<script>(function poll() { if (window.mraid === undefined) return setTimeout(poll, 250);
        var max = mraid.getMaxSize(); if (max.width >= 300 && max.height >= 250) { ${show} } })();</script>`,
    ],
    [
      'works with and without it',
      `${box}<script>function go() { ${show} }
        if (typeof mraid !== 'undefined' && mraid.getState() === 'loading') mraid.addEventListener('ready', go); else go();</script>`,
    ],
  ])('a tag that %s is shown', async (_, content) => {
    const result = await renderer.rendered(tag(content), { markers: [STARTED_MS] });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
    expect(result.notes).toContain('Tearsheet provided mraid.js, as an app does.');
  });
});

describe('MRAID in a zip', () => {
  const page = (body: string) =>
    `<!doctype html><meta name="ad.size" content="width=300,height=250"><body style="margin:0">${box}${body}`;
  const rendered = async (files: Record<string, string>) =>
    renderer.rendered(file('ad.zip', await zipOf(files)), { markers: [STARTED_MS] });

  it('a zip whose script uses MRAID and expects that the app injects it is shown', async () => {
    const result = await rendered({
      'index.html': page('<script src="js/app.js"></script>'),
      'js/app.js': `if (mraid.getState() === 'loading') mraid.addEventListener('ready', go); else go(); function go() { ${show} }`,
    });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
    expect(result.notes).toContain('Tearsheet provided mraid.js, as an app does.');
  });

  it('a zip that asks whether there is MRAID gets none, as on a web page', async () => {
    const result = await rendered({
      'index.html': page(`<script>if (typeof mraid === 'undefined') { ${show} }</script>`),
    });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
    expect(result.notes).not.toContain('Tearsheet provided mraid.js, as an app does.');
  });
});

describe('a library of an ad platform that does not load', () => {
  const remote = (path: string, body: string) =>
    `<script src="${renderer.base}${path}"></script>${box}<script>${body}</script>`;

  it.each([
    [
      'Enabler',
      '/ads/studio/Enabler.js',
      `function visible() { Enabler.loadModule(studio.module.ModuleId.VIDEO, function () { if (Enabler.getUrl('a.png') === 'a.png') { ${show} } }); }
       function loaded() { if (Enabler.isVisible()) visible(); else Enabler.addEventListener(studio.events.StudioEvent.VISIBLE, visible); }
       function start() { Enabler.counter('start'); if (Enabler.isPageLoaded()) loaded(); else Enabler.addEventListener(studio.events.StudioEvent.PAGE_LOADED, loaded); }
       if (Enabler.isInitialized()) start(); else Enabler.addEventListener(studio.events.StudioEvent.INIT, start);`,
    ],
    [
      'EBLoader',
      '/BurstingScript/EBLoader.js',
      `function start() { EB.initExpansionParams(0, 0, 600, 250); ${show} }
       if (!EB.isInitialized()) EB.addEventListener(EBG.EventName.EB_INITIALIZED, start); else start();`,
    ],
    ['adkit', '/BurstingScript/adKit/adkit.js', `adkit.onReady(function () { ${show} });`],
    [
      'Adform DHTML',
      '/banners/scripts/rmb/Adform.DHTML.js',
      `var url = dhtml.getVar('clickTAG', '#x'); if (url === '#x' && dhtml.width > 0) { ${show} }`,
    ],
    [
      'Flashtalking',
      '/frameworks/js/api/2/10/html5API.js',
      `var ft = new FT(); ft.on('instantads', function () { ft.applyClickTag(ft.$('#ad'), 1); ${show} });`,
    ],
    [
      'screenad',
      '/scripts/screenad_interface_1.0.3_scrambled.js',
      `screenad.setSize('300', '250'); screenad.position(); ${show}`,
    ],
  ])('a creative starts although the library %s is missing, and a note says so', async (name, path, body) => {
    const result = await renderer.rendered(tag(remote(path, body)), { markers: [STARTED_MS] });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
    expect(result.notes).toContain(`The library ${name} did not load, so Tearsheet used a stand-in for it.`);
  });

  it('a zip without the library and a host that does not exist get the stand-in too', async () => {
    const page = (src: string) =>
      `<!doctype html><meta name="ad.size" content="width=300,height=250"><body style="margin:0"><script src="${src}"></script>${box}
       <script>Enabler.isInitialized() ? go() : Enabler.addEventListener(studio.events.StudioEvent.INIT, go); function go() { ${show} }</script>`;
    for (const src of ['js/Enabler.js', 'https://studio.invalid/ads/studio/Enabler.js']) {
      const zip = await zipOf({ 'index.html': page(src) });
      const result = await renderer.rendered(file('ad.zip', zip), { markers: [STARTED_MS] });
      expect(await colourAt(result.frames[0], { x: 150, y: 125 }), src).toEqual(GREEN);
    }
  });

  it('a creative may reach deep into parts of Studio that draw nothing', async () => {
    const body = `studio.sdk.gdn.Config.set('a'); studio.common.Environment.hasType(studio.common.Environment.Type.LIVE); ${show}`;
    const result = await renderer.rendered(tag(remote('/ads/studio/Enabler.js', body)), { markers: [STARTED_MS] });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
  });

  it('a library that loads is used unchanged', async () => {
    renderer.put('/real/Enabler.js', { type: 'text/javascript', body: 'window.Enabler = { real: true };' });
    const result = await renderer.rendered(tag(remote('/real/Enabler.js', `if (Enabler.real) { ${show} }`)), {
      markers: [0],
    });
    expect(await colourAt(result.frames[0], { x: 150, y: 125 })).toEqual(GREEN);
    expect(result.notes).toEqual(['Size 300×250: the tag.']);
  });
});
