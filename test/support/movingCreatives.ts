import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The libraries, by the names of their files. */
const LIBRARIES = {
  'gsap.js': require.resolve('gsap/dist/gsap.min.js'),
  'easeljs.js': require.resolve('easeljs/lib/easeljs.min.js'),
  'tweenjs.js': require.resolve('tweenjs/lib/tweenjs.min.js'),
  'pixi.js': require.resolve('pixi.js/dist/pixi.min.js'),
  'lottie.js': require.resolve('lottie-web/build/player/lottie.min.js'),
  'anime.js': require.resolve('animejs/lib/anime.min.js'),
  'jquery.js': require.resolve('jquery/dist/jquery.min.js'),
};
type Library = keyof typeof LIBRARIES;

/** A creative that moves a red box to the right at {@link SPEED} pixels a millisecond, with one animation library. */
export interface MovingCreative {
  readonly name: string;
  readonly scripts: readonly Library[];
  /** HTML that follows the scripts. */
  readonly body: string;
}

const DISTANCE = 260;
const DURATION_MS = 6_500;
/** CSS pixels a millisecond. */
const SPEED = DISTANCE / DURATION_MS;

/** @returns the left edge of the box at a time after the start of its motion, in CSS pixels. */
export function edgeAt(ms: number): number {
  return Math.min(DISTANCE, Math.max(0, ms * SPEED));
}

const BOX = '<div id="box"></div>';
const CANVAS = '<canvas id="canvas" width="300" height="250"></canvas>';

const EASEL: readonly Library[] = ['easeljs.js', 'tweenjs.js'];
const createjs = (mode: string): MovingCreative => ({
  name: `CreateJS in the mode ${mode}`,
  scripts: EASEL,
  body: `${CANVAS}<script>
const stage = new createjs.Stage('canvas'), shape = new createjs.Shape();
shape.graphics.beginFill('#d00').drawRect(0, 20, 30, 200);
stage.addChild(shape);
createjs.Ticker.timingMode = createjs.Ticker.${mode};
createjs.Ticker.framerate = 60;
createjs.Ticker.on('tick', stage);
createjs.Tween.get(shape).to({ x: ${DISTANCE} }, ${DURATION_MS});
</script>`,
});

/** Bodymovin's format, with 30 frames a second. */
function lottieData() {
  const end = (DURATION_MS * 30) / 1000;
  const still = (k: unknown) => ({ a: 0, k });
  const [from, to] = [15, 15 + DISTANCE].map((x) => [x, 120, 0]);
  const ease = { i: { x: 0.833, y: 0.833 }, o: { x: 0.167, y: 0.167 } };
  const fill = { ty: 'fl', c: still([0.85, 0, 0, 1]), o: still(100) };
  const box = { ty: 'rc', s: still([30, 200]), p: still([0, 0]), r: still(0) };
  const identity = { p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) };
  const moving = {
    a: 1,
    k: [
      { ...ease, t: 0, s: from, e: to },
      { t: end, s: to },
    ],
  };
  const layer = {
    ...{ ddd: 0, ind: 1, ty: 4, nm: 'box', sr: 1, ao: 0, ip: 0, op: end, st: 0, bm: 0 },
    ks: { o: still(100), r: still(0), p: moving, a: still([0, 0, 0]), s: still([100, 100, 100]) },
    shapes: [{ ty: 'gr', it: [box, fill, { ty: 'tr', ...identity }] }],
  };
  return { v: '5.5.7', fr: 30, ip: 0, op: end, w: 300, h: 250, nm: 'a', ddd: 0, assets: [], layers: [layer] };
}

const lottie = (renderer: 'svg' | 'canvas'): MovingCreative => ({
  name: `Lottie on ${renderer}`,
  scripts: ['lottie.js'],
  body: `<div id="root" style="width:300px;height:250px"></div><script>
lottie.loadAnimation({ container: root, renderer: '${renderer}', loop: false, animationData: ${JSON.stringify(lottieData())} });
</script>`,
});

export const MOVING_CREATIVES: readonly MovingCreative[] = [
  {
    name: 'GSAP',
    scripts: ['gsap.js'],
    body: `${BOX}<script>gsap.to('#box', { duration: ${DURATION_MS / 1000}, x: ${DISTANCE}, ease: 'none' });</script>`,
  },
  createjs('RAF'),
  createjs('RAF_SYNCHED'),
  createjs('TIMEOUT'),
  {
    name: 'the ticker of PixiJS',
    scripts: ['pixi.js'],
    body: `<script>
const app = new PIXI.Application({ width: 300, height: 250, backgroundColor: 0xffffff, forceCanvas: true });
document.body.appendChild(app.view);
const shape = new PIXI.Graphics();
shape.beginFill(0xdd0000).drawRect(0, 20, 30, 200);
app.stage.addChild(shape);
app.ticker.add((frames) => { shape.x = Math.min(${DISTANCE}, shape.x + (frames * 1000 * ${SPEED}) / 60); });
</script>`,
  },
  lottie('svg'),
  lottie('canvas'),
  {
    name: 'anime.js',
    scripts: ['anime.js'],
    body: `${BOX}<script>anime({ targets: '#box', translateX: ${DISTANCE}, duration: ${DURATION_MS}, easing: 'linear' });</script>`,
  },
  {
    name: 'jQuery',
    scripts: ['jquery.js'],
    body: `${BOX}<script>$('#box').animate({ left: ${DISTANCE} }, ${DURATION_MS}, 'linear');</script>`,
  },
  {
    name: 'SMIL',
    scripts: [],
    body: `<svg width="300" height="250"><rect id="box" y="20" width="30" height="200" fill="#d00"><animate attributeName="x" from="0" to="${DISTANCE}" dur="${DURATION_MS}ms" fill="freeze"/></rect></svg>`,
  },
  {
    name: 'the timer of a worker',
    scripts: [],
    body: `${BOX}<script>
const work = 'const start = performance.now(); setInterval(() => postMessage(performance.now() - start), 16)';
new Worker(URL.createObjectURL(new Blob([work]))).onmessage = ({ data }) => { box.style.left = data * ${SPEED} + 'px'; };
</script>`,
  },
];

/** @returns the creative as one page, which loads its scripts from `/scripts/`. */
export function pageOf({ scripts, body }: MovingCreative): string {
  const tags = scripts.map((script) => `<script src="/scripts/${script}"></script>`);
  return `<!doctype html><meta name="ad.size" content="width=300,height=250">
<style>body{margin:0;background:#fff;overflow:hidden}#box{position:absolute;left:0;top:20px;width:30px;height:200px;background:#d00}canvas{display:block}</style>
<body>${tags.join('')}${body}`;
}

export function readLibrary(name: Library): Buffer {
  return readFileSync(LIBRARIES[name]);
}
