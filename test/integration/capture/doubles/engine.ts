/**
 * A fake engine without browsers, for tests of the program. It fails in ways that a real engine rarely does: a browser crashes
 * while a picture is taken, a creative never ends, a browser does not start. The content or the site selects the behavior: `fail`, `slow`, `break`, `starts-no-browser`; `http://closed/`, `http://crash/`…
 */
import sharp from 'sharp';
import type { CreativeFrame, CreativeSource } from '../../../../src/capture/creative/creative.ts';
import { type Engine, EngineStartError } from '../../../../src/capture/engine/engine.ts';
import type {
  ClosedPage,
  OpenOptions,
  OpenPage,
  PagePicture,
  Picture,
  PlacementFailure,
  ScoredCandidate,
} from '../../../../src/capture/page/page.ts';
import { required } from '../../../support/required.ts';

const CANDIDATE: ScoredCandidate = {
  box: { x: 10, y: 20, width: 300, height: 250 },
  sizes: [[300, 250]],
  evidence: ['gpt'],
  element: '#div-gpt-ad-1',
  visible: true,
  collapsed: false,
  sticky: false,
  covered: false,
  score: 0.9,
  likelihood: 0.9,
  size: [300, 250],
  reasons: ['exact size'],
};

/** When each picture is taken. The internal API rejects a time that is a day off. */
export const CAPTURED_AT = new Date();

export interface EngineDouble extends Engine {
  readonly opened: string[];
  /** The options of each opening. */
  readonly openedWith: OpenOptions[];
  readonly placed: CreativeFrame[];
  /** The numbers of ads that were placed together. */
  readonly together: number[];
  readonly rendered: CreativeSource[];
  renewed: number;
  closed: boolean;
  /** Lets `slow` creatives finish. */
  letGo(): void;
}

export function engineDouble(
  behaviour: { /** How many times the crashing pages crash in all. */ crashes?: number } = {},
): EngineDouble {
  let crashes = behaviour.crashes ?? 0;
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const engine: EngineDouble = {
    opened: [],
    openedWith: [],
    placed: [],
    together: [],
    rendered: [],
    renewed: 0,
    closed: false,
    browserVersion: '150.0.0.0',
    memoryEndReason: undefined,
    letGo: () => letGo(),
    async render(source, { markers, ratios, signal }) {
      engine.rendered.push(source);
      const { content } = source.kind === 'file' ? { content: source.name } : source;
      if (content === 'break') throw new Error('the renderer is closed');
      if (content.includes('slow')) await Promise.race([gate, aborted(signal)]);
      if (content.includes('starts-no-browser')) throw new EngineStartError('there is no Chromium');
      signal?.throwIfAborted();
      if (content.includes('fail')) return { status: 'not_found', reason: `${content} answered 404` };
      const frames = await Promise.all(
        markers.flatMap((markerMs) => ratios.map((ratio) => frameOf(markerMs, content === 'short' ? 9 : ratio))),
      );
      const size = { width: 30, height: 25 };
      return {
        status: 'uploaded',
        format: 'image',
        category: 'display',
        ...size,
        frames,
        mode: 'still',
        notes: [],
        warnings: [],
      };
    },
    async open(site, _device, options = {}): Promise<OpenPage | ClosedPage> {
      engine.opened.push(site);
      engine.openedWith.push(options);
      if (site.includes('closed')) {
        const finalUrl = `${site}challenge`;
        return { status: 'blocked', reason: 'a challenge', candidates: [], finalUrl, picture: await pagePicture(site) };
      }
      const place = async (frame: CreativeFrame): Promise<Picture | PlacementFailure> => {
        if (site.includes('crash') && crashes-- > 0) throw new Error('Target crashed');
        if (site.includes('gone') && crashes-- > 0) {
          return { status: 'generic_error', reason: 'the page crashed', candidates: [] };
        }
        engine.placed.push(frame);
        if (site.includes('full')) return { status: 'no_slots', reason: 'too large', candidates: [CANDIDATE] };
        return pictureOf(frame);
      };
      const phases = { navigate: 1_000, find: 500 };
      return {
        status: 'ready',
        finalUrl: `${site}final`,
        candidates: [CANDIDATE],
        phases,
        place,
        placeTogether: async (ads) => {
          engine.together.push(ads.length);
          const { frame } = required(ads[0]);
          return Promise.all(ads.map(() => place(frame)));
        },
        judge: async () => [CANDIDATE],
        capture: async () => pagePicture(site),
        close: async () => undefined,
      };
    },
    async restartPageBrowser() {
      engine.renewed += 1;
    },
    async close() {
      engine.closed = true;
    },
  };
  return engine;
}

async function frameOf(markerMs: number | null, ratio: number): Promise<CreativeFrame> {
  const size = { width: Math.round(30 * ratio), height: Math.round(25 * ratio) };
  const background = { r: 200, g: (markerMs ?? 0) % 255, b: 0 };
  const png = await sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();
  return { markerMs, ratio, png, width: 30, height: 25 };
}

function pictureOf({ png, ratio }: CreativeFrame): Picture {
  return {
    status: 'uploaded',
    png,
    width: 30 * ratio,
    height: 25 * ratio,
    chosen: CANDIDATE,
    candidates: [CANDIDATE],
    adBox: { x: 10, y: 20, width: 30, height: 25 },
    scale: 1,
    mode: 'composed',
    capturedAt: CAPTURED_AT,
    warnings: [],
  };
}

async function pagePicture(site: string): Promise<PagePicture> {
  if (site.includes('crash')) throw new Error('Target crashed');
  const { png } = await frameOf(null, 1);
  return { png, width: 30, height: 25, capturedAt: CAPTURED_AT, page: { width: 30, height: 900 } };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    if (signal?.aborted) reject(signal.reason);
  });
}
