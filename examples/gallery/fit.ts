/**
 * Fits the weights of `src/capture/page/slotFeatures.ts` to the labels: a multinomial logit over the slots of each page and "none of
 * them". Prints how often the first choice is right on both halves, with the weights of the table and with the fitted ones.
 * `make fit` starts it; with WRITE=1 it writes the fitted weights into the table, with PAGES=DIR it opens the pages again before.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { judgeSlots } from '../../src/capture/page/scoring.ts';
import {
  FEATURE_NAMES,
  type Feature,
  type Features,
  NONE_FROM,
  POINTS,
  POINTS_PER_LOGIT,
  weighted,
} from '../../src/capture/page/slotFeatures.ts';
import {
  addOutcome,
  type CandidateRow,
  halfOf,
  hashOfPublisher,
  isAtPlace,
  type Outcome,
  outcomeOf,
  readCandidates,
  readLabels,
  type SlotLabel,
  sorted,
  type Tallies,
  tallyLines,
} from './labels.ts';

/** One slot that can hold the ad. `mark`: 2 the best one, 1 an accepted one, 0 another. */
interface Choice {
  readonly slot: CandidateRow['slots'][number];
  readonly features: Features;
  readonly mark: number;
  readonly inLayout: boolean;
}

interface Group {
  readonly label: SlotLabel;
  readonly choices: readonly Choice[];
}

type Points = Readonly<Record<Feature, number>>;

const TABLE = new URL('../../src/capture/page/slotFeatures.ts', import.meta.url);
const STEPS = 600;
const RATE = 0.05;
/** How much a weight may leave the table's where few labels speak for it: the penalty for the square of the difference, in logits. */
const PENALTIES = [0.3, 0.1, 0.03, 0.01, 0.003];
const FOLDS = 5;
/** The weight of "the best one" beside "an accepted one". */
const BEST_SHARE = 0.35;

function groupsOf(): Group[] {
  const rows = new Map(readCandidates().map((row) => [`${row.page} ${row.device}`, row]));
  return readLabels().flatMap((label) => {
    const row = rows.get(`${label.page} ${label.device}`);
    return row === undefined ? [] : [{ label, choices: choicesOf(row, label) }];
  });
}

function choicesOf({ slots, viewport }: CandidateRow, { size, best, accept }: SlotLabel): Choice[] {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const request = { ad: { width, height }, viewport, allowScaling: false };
  const judged = judgeSlots(
    slots.map((candidate) => ({ candidate })),
    request,
  );
  return judged.flatMap(({ slot: { candidate }, features, problem }) => {
    if (problem !== undefined) return [];
    const isBest = best !== null && isAtPlace(candidate, best);
    const mark = isBest ? 2 : best !== null && accept.some((one) => isAtPlace(candidate, one)) ? 1 : 0;
    return [{ slot: candidate, features, mark, inLayout: features.outside_layout !== 1 }];
  });
}

function probabilities(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((all, one) => all + one, 0);
  return powers.map((power) => power / sum);
}

/** Gradient ascent with Adam's step sizes on the probability of right choices. */
function fitWeights(groups: readonly Group[], penalty: number): Points {
  const usable = groups.filter(({ label, choices }) => label.best === null || choices.some(({ mark }) => mark > 0));
  const matrix = usable.map(({ choices }) =>
    choices.map(({ features }) => FEATURE_NAMES.map((name) => features[name] ?? 0)),
  );
  const prior = FEATURE_NAMES.map((name) => POINTS[name] / POINTS_PER_LOGIT);
  const logits = [...prior];
  const first = FEATURE_NAMES.map(() => 0);
  const second = FEATURE_NAMES.map(() => 0);
  for (let step = 1; step <= STEPS; step++) {
    const slope = logits.map((one, at) => -2 * penalty * usable.length * (one - (prior[at] ?? 0)));
    usable.forEach(({ label, choices }, index) => {
      const rows = matrix[index] ?? [];
      const values = rows.map((row) => row.reduce((sum, value, at) => sum + value * (logits[at] ?? 0), 0));
      const now = probabilities([...values, 0]);
      const wanted = targetOf(label, choices, now);
      rows.forEach((row, at) => {
        const pull = (wanted[at] ?? 0) - (now[at] ?? 0);
        row.forEach((value, feature) => {
          slope[feature] = (slope[feature] ?? 0) + pull * value;
        });
      });
    });
    slope.forEach((one, at) => {
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * one;
      second[at] = 0.999 * (second[at] ?? 0) + 0.001 * one * one;
      const mean = (first[at] ?? 0) / (1 - 0.9 ** step);
      const spread = Math.sqrt((second[at] ?? 0) / (1 - 0.999 ** step));
      const moved = (logits[at] ?? 0) + (RATE * mean) / (spread + 1e-8);
      // A weight keeps its sign, whatever a few pages say.
      logits[at] = (prior[at] ?? 0) < 0 ? Math.min(0, moved) : (prior[at] ?? 0) > 0 ? Math.max(0, moved) : moved;
    });
  }
  return Object.fromEntries(
    FEATURE_NAMES.map((name, at) => [name, Math.round((logits[at] ?? 0) * POINTS_PER_LOGIT * 10) / 10]),
  ) as Points;
}

/** The probability that the model should give each choice: shared among the right ones as the model shares it, drawn to the best. */
function targetOf({ best }: SlotLabel, choices: readonly Choice[], now: readonly number[]): number[] {
  if (best === null) return choices.map(() => 0);
  const shareOf = (isRight: (mark: number) => boolean) => {
    const all = choices.reduce((sum, { mark }, at) => sum + (isRight(mark) ? (now[at] ?? 0) : 0), 0);
    return choices.map(({ mark }, at) => (isRight(mark) && all > 0 ? (now[at] ?? 0) / all : 0));
  };
  const right = shareOf((mark) => mark > 0);
  const chosen = choices.some(({ mark }) => mark === 2) ? shareOf((mark) => mark === 2) : right;
  return right.map((one, at) => (1 - BEST_SHARE) * one + BEST_SHARE * (chosen[at] ?? 0));
}

interface Judged {
  readonly group: Group;
  readonly outcome: Outcome;
  readonly likelihood: number;
}

function judge(groups: readonly Group[], points: Points): Judged[] {
  return groups.map((group) => {
    const values = group.choices.map((one) => weighted(one.features, points) / POINTS_PER_LOGIT);
    const chances = probabilities([...values, 0]);
    const order = group.choices
      .map((one, at) => ({ one, at }))
      .toSorted((a, b) => Number(b.one.inLayout) - Number(a.one.inLayout) || (values[b.at] ?? 0) - (values[a.at] ?? 0));
    const chosen = (chances.at(-1) ?? 0) > NONE_FROM ? undefined : order[0];
    const outcome = outcomeOf(chosen?.one.slot ?? null, group.label);
    return { group, outcome, likelihood: chosen === undefined ? 0 : (chances[chosen.at] ?? 0) };
  });
}

function isRight({ outcome }: Judged): boolean {
  return outcome === 'best' || outcome === 'accepted';
}

function report(title: string, judged: readonly Judged[]): void {
  const tallies: Tallies = new Map();
  for (const { group, outcome } of judged) addOutcome(tallies, group.label, outcome);
  console.log(`\n${title}`);
  for (const line of tallyLines(sorted(tallies))) console.log(`  ${line}`);
}

/** How often the choice is right from which likelihood on. `slotDoubts.ts` has the limit of the warning `slot_uncertain`. */
function reportLikelihoods(judged: readonly Judged[]): void {
  console.log('\nlikelihood from: right (counted half) | right (both halves)');
  for (let from = 0.97; from >= 0.05; from -= from > 0.8 ? 0.01 : 0.05) {
    const shares = [judged.filter(({ group }) => halfOf(group.label.page) === 'count'), judged].map((all) => {
      const sure = all.filter(({ likelihood }) => likelihood >= from);
      return `${sure.filter(isRight).length} of ${sure.length} (${Math.round((100 * sure.filter(isRight).length) / Math.max(1, sure.length))} %)`;
    });
    console.log(`  ${from.toFixed(2)}: ${shares.join(' | ')}`);
  }
}

function write(points: Points): void {
  const source = readFileSync(TABLE, 'utf8').replace(
    /^( {2}(\w+): weight\()-?[\d.]+/gm,
    (line, before: string, name: string) => (name in points ? `${before}${points[name as Feature]}` : line),
  );
  writeFileSync(TABLE, source);
}

/** The share of right choices in each fifth of the publishers, with weights fitted to the others. */
function shareOutside(groups: readonly Group[], penalty: number): number {
  const foldOf = ({ label }: Group) => (hashOfPublisher(label.page)[1] ?? 0) % FOLDS;
  const judged = Array.from({ length: FOLDS }, (_, fold) =>
    judge(
      groups.filter((group) => foldOf(group) === fold),
      fitWeights(
        groups.filter((group) => foldOf(group) !== fold),
        penalty,
      ),
    ),
  ).flat();
  const counted = judged.filter(({ outcome }) => outcome !== 'rightly none');
  return counted.filter(isRight).length / counted.length;
}

if (process.env['PAGES']) await (await import('./collect.ts')).collectCandidates(process.env['PAGES']);
const groups = groupsOf();
report('weights of the table', judge(groups, POINTS));
const half = (name: string) => groups.filter(({ label }) => halfOf(label.page) === name);
const developing = half('develop');
const shares = PENALTIES.map((penalty) => ({ penalty, share: shareOutside(developing, penalty) }));
for (const { penalty, share } of shares)
  console.log(`penalty ${penalty}: ${Math.round(share * 1_000) / 10} % right on publishers outside of the fit`);
const best = shares.toSorted((a, b) => b.share - a.share)[0];
const fitted = fitWeights(developing, best?.penalty ?? 1);
report('weights fitted on the developing half', judge(groups, fitted));
reportLikelihoods(judge(groups, POINTS));
console.log('\nfeature: table, fitted');
for (const name of FEATURE_NAMES) console.log(`  ${name}: ${POINTS[name]}, ${fitted[name]}`);
if (process.env['WRITE'] === '1') write(fitted);
