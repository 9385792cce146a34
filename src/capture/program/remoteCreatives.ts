/** Follows the creatives that other captures of the job render. Their frames are downloaded when they are placed. */
import type { ResolvedCreatives } from '../../contract/captureProtocol.ts';
import type { CreativeOutcome, CreativeOutcomes } from '../engine/creativeOutcomes.ts';
import type { FrameReader, FrameStore } from '../engine/frameStore.ts';
import type { CaptureShutdown } from './captureShutdown.ts';
import type { ProtocolClient } from './protocolClient.ts';

export interface RemoteCreativesOptions {
  readonly client: ProtocolClient;
  readonly outcomes: CreativeOutcomes;
  readonly store: FrameStore;
  readonly shutdown: CaptureShutdown;
  /** How long the internal API may delay its answer until a creative is resolved. */
  readonly holdMs?: number;
}

const HOLD_MS = 20_000;
/** The limit of the protocol. */
const MAX_ADS = 1_000;

/** Ends when all of `ads` are resolved, by any capture. @throws the reason of `stop`, CaptureEndError, RetriesExhaustedError. */
export async function followRemoteCreatives(ads: ReadonlySet<string>, tools: RemoteCreativesOptions): Promise<void> {
  const { client, outcomes, shutdown, holdMs = HOLD_MS } = tools;
  for (;;) {
    shutdown.stop.throwIfAborted();
    const unresolved = outcomes.unresolved(ads);
    if (unresolved.length === 0) return;
    const answered = new AbortController();
    const signal = AbortSignal.any([shutdown.stop, answered.signal]);
    const allResolvedHere = allResolved(outcomes, ads, signal);
    try {
      const resolved = await Promise.race([client.wait(unresolved.slice(0, MAX_ADS), holdMs, signal), allResolvedHere]);
      for (const creative of resolved) outcomes.resolve(creative.ad_id, outcomeOf(creative, tools));
    } finally {
      answered.abort();
    }
  }
}

/** Resolves when this capture itself resolves the last ad. @throws the reason of `signal`. */
async function allResolved(board: CreativeOutcomes, ads: ReadonlySet<string>, signal: AbortSignal): Promise<[]> {
  while (board.unresolved(ads).length > 0) await board.waitForChange(signal);
  return [];
}

type RemoteCreative = ResolvedCreatives['creatives'][number];

function outcomeOf(creative: RemoteCreative, { client, store, shutdown }: RemoteCreativesOptions): CreativeOutcome {
  if (creative.status === 'failed') return { status: 'failed', reason: creative.reason };
  const { width, height, mode, warnings, frames } = creative;
  const kept = new Map<string, Promise<FrameReader>>();
  return {
    status: 'rendered',
    mode,
    warnings,
    async frame(markerMs, ratio) {
      const found = frames.find((frame) => frame.marker_ms === markerMs && frame.ratio === ratio);
      if (found === undefined) return undefined;
      const key = `${markerMs} ${ratio}`;
      const download = () => client.download(found.url, found.sha256, shutdown.stop).then((png) => store.keep(png));
      const frame = kept.get(key) ?? download();
      kept.set(key, frame);
      return { markerMs, ratio, width, height, png: await (await frame)() };
    },
  };
}
