/**
 * Compares the slots that the engine chose with labels. A label is for a saved page, a device and an ad size. It names the slot that
 * a media buyer would choose, and others that the buyer would accept. The pages themselves are not part of the project.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SlotCandidate } from '../../src/capture/page/page.ts';

/** The element as a record names it, or a selector; and its box in the document, CSS pixels, if it is known: x, y, width, height. */
export type LabeledSlot = readonly [element: string, box?: readonly [number, number, number, number]];

export interface SlotLabel {
  readonly page: string;
  readonly device: string;
  /** The size of the ad, as `300x250`. */
  readonly size: string;
  /** Null if no slot of the page takes such an ad. */
  readonly best: LabeledSlot | null;
  readonly accept: readonly LabeledSlot[];
}

/** A slot that was chosen. */
type Place = Pick<SlotCandidate, 'element' | 'box'>;

/** The facts about a picture of the gallery that are counted. */
interface JudgedItem {
  readonly creative: string;
  readonly page: string | null;
  readonly device: string | null;
  readonly status: string;
  readonly record: { readonly slot: Place | null } | null;
}

const OUTCOMES = ['best', 'accepted', 'other slot', 'placed without a slot', 'missed', 'rightly none'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Tally {
  /** For example `develop desktop 300x250`. */
  readonly name: string;
  readonly counts: Readonly<Record<Outcome, number>>;
}

/** The slots of a labelled page as the engine sees them, for the fit of the weights. */
export interface CandidateRow {
  readonly page: string;
  readonly device: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly slots: readonly SlotCandidate[];
}

export const CANDIDATES_FILE = new URL('candidates.jsonl', import.meta.url);

/** Two runs measure a box a little differently, and a wrapper begins above the slot in it. */
const SAME_TOP_PX = 60;

export function readLabels(): SlotLabel[] {
  return readRows(new URL('labels.jsonl', import.meta.url));
}

export function readCandidates(): CandidateRow[] {
  return readRows(CANDIDATES_FILE);
}

function readRows<T>(file: URL): T[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

/**
 * Weights and words are chosen on one half of the publishers; the other half only counts.
 * @param page a name such as `de-Publisher_2024_05_03`: all pages of a publisher are in one half.
 */
export function halfOf(page: string): 'develop' | 'count' {
  return (hashOfPublisher(page)[0] ?? 0) % 2 === 1 ? 'count' : 'develop';
}

export function hashOfPublisher(page: string): Buffer {
  return createHash('sha256')
    .update(page.replace(/_\d{4}.*$/, ''))
    .digest();
}

/** Whether a slot is at a labelled place: the same element, or a box around it or inside of it. */
export function isAtPlace(slot: Place, [element, labelled]: LabeledSlot): boolean {
  if (labelled === undefined) return slot.element === element;
  const [x, y, width] = labelled;
  const { box } = slot;
  if (Math.abs(box.y - y) > SAME_TOP_PX) return false;
  const overlap = Math.min(box.x + box.width, x + width) - Math.max(box.x, x);
  return slot.element === element || overlap >= Math.min(box.width, width) / 2;
}

/** @param slot the chosen one; null if none takes the ad. */
export function outcomeOf(slot: Place | null, { best, accept }: SlotLabel): Outcome {
  if (slot === null) return best === null ? 'rightly none' : 'missed';
  if (best === null) return 'placed without a slot';
  if (isAtPlace(slot, best)) return 'best';
  return accept.some((one) => isAtPlace(slot, one)) ? 'accepted' : 'other slot';
}

/** Counts the pictures of labeled pages, by half, device and ad size. A creative's name begins with its size. */
export function countOutcomes(items: readonly JudgedItem[], labels: readonly SlotLabel[]): Tally[] {
  const keyOf = (page: string, device: string, size: string) => JSON.stringify([page, device, size]);
  const byKey = new Map(labels.map((label) => [keyOf(label.page, label.device, label.size), label]));
  const tallies: Tallies = new Map();
  for (const item of items) {
    const { page, device, creative } = item;
    const size = /^\d+x\d+/.exec(creative)?.[0];
    if (page === null || device === null || size === undefined) continue;
    const label = byKey.get(keyOf(page, device, size));
    const slot = item.status === 'no_slots' ? null : item.status === 'uploaded' ? item.record?.slot : undefined;
    // A page that could not be opened says nothing about slots.
    if (label === undefined || slot === undefined) continue;
    addOutcome(tallies, label, outcomeOf(slot, label));
  }
  return sorted(tallies);
}

export type Tallies = Map<string, Record<Outcome, number>>;

/** Counts for the half, the device and the size of the label, and for the whole half. */
export function addOutcome(tallies: Tallies, { page, device, size }: SlotLabel, outcome: Outcome): void {
  for (const name of [`${halfOf(page)} ${device} ${size}`, `${halfOf(page)} all`]) {
    const counts = tallies.get(name) ?? emptyCounts();
    counts[outcome] += 1;
    tallies.set(name, counts);
  }
}

export function sorted(tallies: Tallies): Tally[] {
  return [...tallies].map(([name, counts]) => ({ name, counts })).toSorted((a, b) => a.name.localeCompare(b.name));
}

function emptyCounts(): Record<Outcome, number> {
  return { best: 0, accepted: 0, 'other slot': 0, 'placed without a slot': 0, missed: 0, 'rightly none': 0 };
}

/** The share of right pictures among the cases in which a slot exists or an ad was placed. */
export function shareRight({ counts }: Tally): number {
  const right = counts.best + counts.accepted;
  return right / Math.max(1, right + counts['other slot'] + counts['placed without a slot'] + counts.missed);
}

export function tallyLines(tallies: readonly Tally[]): string[] {
  return tallies.map((tally) => {
    const counts = OUTCOMES.map((outcome) => `${tally.counts[outcome]} ${outcome}`).join(', ');
    return `${tally.name}: ${Math.round(shareRight(tally) * 100)} % right (${counts})`;
  });
}
