/** The cost of an animation of ten seconds: processor time of a picture with it, beside the same picture alone. */
import { CreativeOutcomes, FrameStore, storeRendering } from '../../src/capture/engine/creativeOutcomes.ts';
import { type Engine, startEngine } from '../../src/capture/engine/engine.ts';
import { processPages } from '../../src/capture/engine/pageQueue.ts';
import { PhaseTimer } from '../../src/capture/engine/pageTask.ts';
import { type Animation, wantedFilms } from '../../src/domain/animations.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/screenshotOptions.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type Figure, inTurns } from './figures.ts';
import { named } from './pictures.ts';
import { ProcessTreeMeter } from './processTree.ts';
import { CHROMIUM } from './service.ts';

const CREATIVE = `<!doctype html><meta name="ad.size" content="width=300,height=250">
<style>
  body { margin: 0; width: 300px; height: 250px; overflow: hidden; font: bold 32px sans-serif; color: #fff; background: linear-gradient(120deg, #06c, #0cf) }
  div { position: absolute; left: 0; top: 90px; width: 60px; height: 60px; background: #fc0; border-radius: 50%; animation: move 4s linear infinite alternate }
  p { margin: 20px; animation: show 2s 3 }
  @keyframes move { to { left: 240px } }
  @keyframes show { from { opacity: 0 } }
</style><p>Fly to Oslo</p><div></div>`;
const ANIMATION: Animation = { seconds: 10, fps: 10 };

export async function measureAnimations(rounds: number): Promise<Figure[]> {
  const publishers = await startPublishers();
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  const meter = new ProcessTreeMeter(process.pid);
  try {
    const figures: Figure[] = [];
    for (const name of ['desktop', 'mobile']) {
      const cost = async (animation: Animation | null) => {
        const before = meter.cpuSeconds();
        await take({ engine, publishers, name, animation });
        return meter.cpuSeconds() - before;
      };
      await cost(ANIMATION);
      const [ours = [], values = []] = await inTurns(rounds, [() => cost(ANIMATION), () => cost(null)]);
      const other = { name: 'the same picture alone', values };
      const unit = 'processor seconds';
      figures.push({
        name: `a picture with 10 s of animation, ${name}`,
        unit,
        ours,
        other,
        aim: { at: 'most', value: 3 },
      });
    }
    return figures;
  } finally {
    meter.stop();
    await engine.close();
    await publishers.close();
  }
}

interface Wanted {
  readonly engine: Engine;
  readonly publishers: Publishers;
  readonly name: string;
  readonly animation: Animation | null;
}

/** Renders the ad, opens the page and takes the picture. @throws Error if the animation is missing. */
async function take({ engine, publishers, name, animation }: Wanted): Promise<void> {
  const device = named(name);
  const films = wantedFilms([{ animation, ratio: device.ratio }]);
  const source = { kind: 'html_tag', content: CREATIVE } as const;
  const rendered = await engine.render(source, { markers: [null], ratios: [device.ratio], films });
  if (rendered.status !== 'uploaded') throw new Error(`The creative was not rendered: ${rendered.reason}`);
  const outcomes = new CreativeOutcomes();
  outcomes.resolve('ad', await storeRendering(rendered, new FrameStore()));
  const pictures = [{ id: '1', ad: 'ad', markerMs: null, options: { ...DEFAULT_OPTIONS, animation } }];
  const pages = [{ site: publishers.url('news'), device, otherAds: DEFAULT_OPTIONS.otherAds, pictures }];
  await processPages(pages, {
    ...{
      engine,
      outcomes,
      phases: new PhaseTimer(),
      log: TEST_LOG,
      stop: new AbortController().signal,
      maxOpenPages: 1,
    },
    onOpening: () => undefined,
    onResult: async (result) => {
      if (result.status !== 'uploaded') throw new Error(`The picture was not taken: ${result.reason}`);
      if ((result.animation === undefined) !== (animation === null)) throw new Error('The animation is missing.');
    },
  });
}
