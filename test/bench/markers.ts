/** The cost of a late marker: 30 s of a creative's own time compared with 0 s. */
import { startEngine } from '../../src/capture/engine/engine.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type Figure, inTurns, timed } from './figures.ts';
import { CHROMIUM } from './service.ts';

const LATE_MS = 30_000;

/** Moves by CSS and by `script` until its 30th second. Its colors show its time. */
const creative = (script: string) => `<!doctype html><meta name="ad.size" content="width=300,height=250">
<style>
  body { margin: 0; width: 300px; height: 250px; overflow: hidden; font: bold 40px sans-serif; color: #fff; animation: hue 30s linear both }
  @keyframes hue { from { background: #103 } to { background: #0a0 } }
  #turning { width: 90px; height: 90px; margin: 20px; background: #fc0; animation: turn 2s linear infinite }
  @keyframes turn { to { transform: rotate(1turn) } }
</style>
<div id="turning"></div><div id="clock">0</div>
<script>
  const show = (now) => { clock.textContent = (now / 1000).toFixed(1); };
  ${script}
</script>`;

const KINDS = [
  {
    name: 'an animated creative at its 30th second',
    content: creative('setInterval(() => show(performance.now()), 100)'),
    mostSeconds: 1.5,
  },
  {
    name: 'a creative that requests animation frames at its 30th second',
    content: creative('requestAnimationFrame(function next(now) { show(now); requestAnimationFrame(next); })'),
    mostSeconds: 5,
  },
];

export async function measureMarkers(rounds: number): Promise<Figure[]> {
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  const render = async (content: string, marker: number) => {
    const source = { kind: 'html_tag', content } as const;
    const { seconds, result } = await timed(() => engine.render(source, { markers: [marker], ratios: [1] }));
    if (result.status !== 'uploaded') throw new Error(`The creative was not rendered: ${result.reason}`);
    if (result.mode !== 'stepped') throw new Error(`The creative was rendered in ${result.mode} time.`);
    return seconds;
  };
  const figureOf = async ({ name, content, mostSeconds }: (typeof KINDS)[number]): Promise<Figure> => {
    await render(content, LATE_MS);
    const [late = [], first = []] = await inTurns(rounds, [() => render(content, LATE_MS), () => render(content, 0)]);
    return {
      name,
      unit: 's',
      ours: late,
      other: { name: 'the same at its first moment', values: first },
      compared: 'difference',
      aim: { at: 'most', value: mostSeconds },
    };
  };
  try {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(await figureOf(kind));
    return figures;
  } finally {
    await engine.close();
  }
}
