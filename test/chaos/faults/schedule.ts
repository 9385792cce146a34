/** Kills at random moments, and disturbances one after the other beside them, until the time or the number is reached. */
import { sleep } from '../../../src/lib/sleep.ts';
import { TaskGroup } from '../../../src/lib/taskGroup.ts';
import type { Random } from '../random.ts';
import type { FaultContext, FaultKind, Faults } from './fault.ts';

export interface ScheduleOptions {
  readonly kills: number;
  readonly minutes: number;
}

/** Between two disturbances, in seconds. */
const CALM = { least: 4, most: 20 };
/** A kill that finds nothing to hit is replaced by another one, at most so often. */
const TRIES = 3;
/** Kills that are under way at the same time. */
const MOST_AT_ONCE = 6;

/** @returns the number of kills. @throws the error of a fault. */
export async function runFaults<I>(
  context: FaultContext<I>,
  faults: Faults<I>,
  { kills, minutes }: ScheduleOptions,
): Promise<number> {
  const begin = performance.now();
  const end = begin + minutes * 60_000;
  const over = new AbortController();
  const disturbing = disturb(context, faults.disturbances, over.signal);
  disturbing.catch(() => over.abort());
  const wave = faults.waves.kills + faults.waves.calm;
  const pauseMs = (minutes * 60_000 * faults.waves.kills) / wave / kills;
  const striking = new TaskGroup(MOST_AT_ONCE);
  let done = 0;
  while (done < kills && performance.now() < end && !over.signal.aborted) {
    // Random pauses, so that two kills may also come at almost the same moment.
    await sleep(-Math.log(1 - context.random.next()) * pauseMs);
    const inWave = (performance.now() - begin) % wave;
    if (inWave > faults.waves.kills) await sleep(wave - inWave);
    await striking.add(async () => {
      if (await strikeOnce(context, faults.kills)) done += 1;
    });
  }
  await striking.drain();
  over.abort();
  await disturbing;
  return done;
}

async function strikeOnce<I>(context: FaultContext<I>, kinds: readonly FaultKind<I>[]): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await strike(context, pickByWeight(kinds, context.random))) return true;
  }
  return false;
}

async function disturb<I>(context: FaultContext<I>, kinds: readonly FaultKind<I>[], over: AbortSignal): Promise<void> {
  if (kinds.length === 0) return;
  const { random } = context;
  while (!over.aborted) {
    await sleep(random.between(CALM.least, CALM.most) * 1_000, over).catch(() => undefined);
    if (!over.aborted) await strike(context, pickByWeight(kinds, random));
  }
}

async function strike<I>(context: FaultContext<I>, { name, kind, strike: hit }: FaultKind<I>): Promise<boolean> {
  const detail = await hit(context);
  if (detail === undefined) return false;
  context.ledger.add({ kind, what: name, detail });
  return true;
}

function pickByWeight<I>(kinds: readonly FaultKind<I>[], random: Random): FaultKind<I> {
  const sum = kinds.reduce((all, { weight }) => all + weight, 0);
  let left = random.next() * sum;
  for (const kind of kinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  throw new Error('There are no faults to pick from.');
}
