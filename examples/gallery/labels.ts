/**
 * Compares the slots that the engine chose with labels. A label is for a saved page, a device and an ad size. It names the slot that
 * a media buyer would choose, and others that the buyer would accept. The pages themselves are not part of the project.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The element as a record names it, or a selector; and the top of its box in the document, CSS pixels, if it is known. */
type LabeledSlot = readonly [element: string, top: number | null];

export interface SlotLabel {
  readonly page: string;
  readonly device: string;
  /** The size of the ad, as `300x250`. */
  readonly size: string;
  /** Null if no slot of the page takes such an ad. */
  readonly best: LabeledSlot | null;
  readonly accept: readonly LabeledSlot[];
}

/** The facts about a picture of the gallery that are counted. */
interface JudgedItem {
  readonly creative: string;
  readonly page: string | null;
  readonly device: string | null;
  readonly status: string;
  readonly record: { readonly slot: { readonly element: string; readonly box: { readonly y: number } } | null } | null;
}

const OUTCOMES = ['best', 'accepted', 'other slot', 'placed without a slot', 'missed', 'rightly none'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface Tally {
  /** For example `develop desktop 300x250`. */
  readonly name: string;
  readonly counts: Readonly<Record<Outcome, number>>;
}

/** Two runs measure a box a little differently. */
const SAME_TOP_PX = 60;

export function readLabels(): SlotLabel[] {
  const lines = readFileSync(new URL('labels.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as SlotLabel);
}

/**
 * Weights and words are chosen on one half of the publishers; the other half only counts.
 * @param page a name such as `de-Publisher_2024_05_03`: all pages of a publisher are in one half.
 */
export function halfOf(page: string): 'develop' | 'count' {
  const publisher = page.replace(/_\d{4}.*$/, '');
  return (createHash('sha256').update(publisher).digest()[0] ?? 0) % 2 === 1 ? 'count' : 'develop';
}

/** @returns undefined if the page could not be opened. */
function outcomeOf({ status, record }: JudgedItem, label: SlotLabel): Outcome | undefined {
  const { best, accept } = label;
  if (status === 'no_slots') return best === null ? 'rightly none' : 'missed';
  const slot = record?.slot;
  if (status !== 'uploaded' || slot == null) return undefined;
  if (best === null) return 'placed without a slot';
  const isChosen = ([element, top]: LabeledSlot) =>
    slot.element === element && (top === null || Math.abs(slot.box.y - top) <= SAME_TOP_PX);
  if (isChosen(best)) return 'best';
  return accept.some(isChosen) ? 'accepted' : 'other slot';
}

/** Counts the pictures of labeled pages, by half, device and ad size. A creative's name begins with its size. */
export function countOutcomes(items: readonly JudgedItem[], labels: readonly SlotLabel[]): Tally[] {
  const keyOf = (page: string, device: string, size: string) => JSON.stringify([page, device, size]);
  const byKey = new Map(labels.map((label) => [keyOf(label.page, label.device, label.size), label]));
  const tallies = new Map<string, Record<Outcome, number>>();
  for (const item of items) {
    const { page, device, creative } = item;
    const size = /^\d+x\d+/.exec(creative)?.[0];
    if (page === null || device === null || size === undefined) continue;
    const label = byKey.get(keyOf(page, device, size));
    const outcome = label && outcomeOf(item, label);
    if (outcome === undefined) continue;
    const name = `${halfOf(page)} ${device} ${size}`;
    const counts = tallies.get(name) ?? emptyCounts();
    counts[outcome] += 1;
    tallies.set(name, counts);
  }
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
