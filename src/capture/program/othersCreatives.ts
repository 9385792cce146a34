/** Brings in what other captures of the job have rendered: told by the internal API, downloaded when it is placed. */
import type { ResolvedCreatives } from '../../contract/captureProtocol.ts';
import type { CreativeBoard, CreativeOutcome } from '../engine/creativeBoard.ts';
import type { FrameStore, KeptFrame } from '../engine/frameStore.ts';
import type { Ending } from './ending.ts';
import type { ProtocolClient } from './protocolClient.ts';

export interface OthersTools {
  readonly client: ProtocolClient;
  readonly board: CreativeBoard;
  readonly store: FrameStore;
  readonly ending: Ending;
  /** How long the internal API may hold an answer back. */
  readonly holdMs?: number;
}

const HOLD_MS = 20_000;
/** The protocol's own limit. */
const MAX_ADS = 1_000;

/** Ends when all of `ads` are resolved, by whomever. @throws the reason of `stop`, CaptureEnd, UnreachableError. */
export async function followOthers(ads: ReadonlySet<string>, tools: OthersTools): Promise<void> {
  const { client, board, ending, holdMs = HOLD_MS } = tools;
  for (;;) {
    ending.stop.throwIfAborted();
    const unresolved = board.unresolved(ads);
    if (unresolved.length === 0) return;
    const answered = new AbortController();
    const signal = AbortSignal.any([ending.stop, answered.signal]);
    const ownLast = allResolved(board, ads, signal);
    try {
      const resolved = await Promise.race([client.wait(unresolved.slice(0, MAX_ADS), holdMs, signal), ownLast]);
      for (const creative of resolved) board.resolve(creative.ad_id, outcomeOf(creative, tools));
    } finally {
      answered.abort();
    }
  }
}

/** Ends the wait when the last ad comes from an own rendering. @throws the reason of `signal`. */
async function allResolved(board: CreativeBoard, ads: ReadonlySet<string>, signal: AbortSignal): Promise<[]> {
  while (board.unresolved(ads).length > 0) await board.changed(signal);
  return [];
}

type Resolved = ResolvedCreatives['creatives'][number];

function outcomeOf(creative: Resolved, { client, store, ending }: OthersTools): CreativeOutcome {
  if (creative.status === 'failed') return { status: 'failed', reason: creative.reason };
  const { width, height, mode, frames } = creative;
  const kept = new Map<string, Promise<KeptFrame>>();
  return {
    status: 'rendered',
    mode,
    async frame(markerMs, ratio) {
      const found = frames.find((frame) => frame.marker_ms === markerMs && frame.ratio === ratio);
      if (found === undefined) return undefined;
      const key = `${markerMs} ${ratio}`;
      const download = () => client.download(found.url, found.sha256, ending.stop).then((png) => store.keep(png));
      const frame = kept.get(key) ?? download();
      kept.set(key, frame);
      return { markerMs, ratio, width, height, png: await (await frame)() };
    },
  };
}
