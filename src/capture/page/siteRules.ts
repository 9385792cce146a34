/** Applies the rules of the organization to an open page: hides, clicks and waits, before its slots are searched. */
import type { RuleReport } from '../../contract/siteRules.ts';
import type { AppliedRule, RulePart } from '../../domain/siteRules.ts';
import type { Warning } from '../../domain/warnings.ts';
import { DeadlineError, withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Frame } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';
import { respondingFrames } from './frames.ts';
import type { SelectorOutcome } from './inPage/siteRules.ts';
import type { SiteFailure } from './navigation.ts';
import { TimeBudget } from './settle.ts';

/** A selector that takes longer keeps the page from answering. A busy page answers late without one. */
const SELECTOR_MS = 15_000;
const QUIET_MS = 2_500;
/** For all elements that rules wait for. */
const WAIT_MS = 8_000;
const LOOK_EVERY_MS = 200;
const AFTER_CLICK_MS = 300;
/** A page that is never quiet is not waited for longer, whatever the number of clicks. */
const CLICKS_MS = 15_000;
const MAX_FRAMES = 20;

type PartOfPage = Extract<RulePart, 'hide' | 'click' | 'wait_for'>;

type RuleEffect = RuleReport['effects'][number];

/** The effect of the slot of a rule for one picture. */
export type SlotReport = Omit<RuleReport, 'effects'> & { readonly effect: RuleEffect };

/** @returns the reports of a page with that of a slot. */
export function withSlotReport(reports: readonly RuleReport[], slot: SlotReport | undefined): RuleReport[] {
  return reports.map((report) =>
    report.id === slot?.id ? { ...report, effects: [...report.effects, slot.effect] } : report,
  );
}

interface Step {
  readonly rule: AppliedRule;
  readonly part: PartOfPage;
  readonly selector: string;
}

/** The rules of one page, and what they did so far. */
export class PageRules {
  readonly #tab: Tab;
  readonly #rules: readonly AppliedRule[];
  readonly #effects = new Map<AppliedRule, Map<string, RuleEffect>>();
  /** A click is made once, although the page may be replaced by another document of its site. */
  readonly #clicked = new Set<string>();
  /** The last click. It answers for each document that the page opens afterwards. */
  #clicking: Step | undefined;
  /** The failure of the page, if a click led away from its site. */
  left: SiteFailure | undefined;

  /** @param rules the most specific first. */
  constructor(tab: Tab, rules: readonly AppliedRule[]) {
    this.#tab = tab;
    this.#rules = rules;
    for (const rule of rules)
      for (const part of ['cookies', 'headers'] as const)
        if (rule[part].length > 0)
          this.#note(rule, { part, target: namesOf(rule[part]), found: rule[part].length, problem: null });
  }

  get clicks(): boolean {
    return this.#rules.some(({ click }) => click.length > 0);
  }

  get reports(): RuleReport[] {
    return this.#rules.map((rule) => ({
      id: rule.id,
      host: rule.host,
      effects: [...(this.#effects.get(rule)?.values() ?? [])],
    }));
  }

  /** @returns whether the page must not open this address, because a click leads there and it is no page of the site. */
  refuses(url: string): boolean {
    if (this.#clicking === undefined || isSameSite(url, this.#tab.url())) return false;
    this.left ??= failureOf(this.#clicking, `leads away from the site, to ${hostOf(url)}`);
    return true;
  }

  /** @returns the failure of a document, with the rule whose click opened it, if one did. */
  blamed(failure: SiteFailure): SiteFailure {
    if (this.#clicking === undefined) return failure;
    const { id, host } = this.#clicking.rule;
    return { ...failure, reason: `${failure.reason} A click of site rule ${id} (${host}) came before.` };
  }

  /** @param rest waits until the page is quiet, at most this long. @returns the failure of the page, if a rule is the reason. */
  async apply(rest: (ms: number) => Promise<void>): Promise<SiteFailure | undefined> {
    try {
      for (const step of this.#steps('hide')) await this.#hide(step);
      const resting = new TimeBudget(CLICKS_MS);
      for (const step of this.#steps('click')) {
        await this.#click(step, () => rest(resting.left(QUIET_MS)));
        if (this.left !== undefined) return this.left;
      }
      const budget = new TimeBudget(WAIT_MS);
      for (const step of this.#steps('wait_for')) await this.#waitFor(step, budget);
      return undefined;
    } catch (error) {
      if (error instanceof BusyPageError) return error.failure;
      throw error;
    }
  }

  /** General rules come first. A selector of several rules counts for each. */
  #steps(part: PartOfPage): Step[] {
    return this.#rules.toReversed().flatMap((rule) => rule[part].map((selector) => ({ rule, part, selector })));
  }

  async #hide(step: Step): Promise<void> {
    this.#noteStep(
      step,
      await inTime(
        step,
        this.#tab.mainFrame.evaluate((css) => inPage.hideAll(css), step.selector),
      ),
    );
  }

  async #click(step: Step, rest: () => Promise<void>): Promise<void> {
    if (this.#clicked.has(step.selector)) return;
    const before = this.#clicking;
    this.#clicking = step;
    const outcome = await this.#inFrames(step, (frame) =>
      frame.evaluate((css) => inPage.clickFirst(css), step.selector),
    );
    this.#noteStep(step, outcome);
    if (outcome.problem !== null) {
      this.#clicking = before;
      return;
    }
    this.#clicked.add(step.selector);
    // The navigation of a link begins a moment later.
    await sleep(AFTER_CLICK_MS);
    await rest();
  }

  async #waitFor(step: Step, budget: TimeBudget): Promise<void> {
    for (;;) {
      const outcome = await this.#inFrames(step, (frame) =>
        frame.evaluate((css) => inPage.countMatches(css), step.selector),
      );
      this.#noteStep(step, outcome);
      if (outcome.problem === null || budget.left() === 0) return;
      await sleep(Math.min(LOOK_EVERY_MS, budget.left()));
    }
  }

  /** Asks the main frame first, then the others. @returns the first outcome without a problem, else that of the main frame. */
  async #inFrames(step: Step, ask: (frame: Frame) => Promise<SelectorOutcome>): Promise<SelectorOutcome> {
    const [main = this.#tab.mainFrame, ...others] = await respondingFrames(this.#tab, MAX_FRAMES);
    const first = await inTime(step, ask(main));
    if (first.problem === null) return first;
    for (const frame of others) {
      // A frame may disappear at any time.
      const outcome = await withDeadline(SELECTOR_MS, ask(frame)).catch(() => undefined);
      if (outcome?.problem === null) return outcome;
    }
    return first;
  }

  #noteStep({ rule, part, selector: target }: Step, outcome: SelectorOutcome): void {
    this.#note(rule, { part, target, ...outcome });
  }

  #note(rule: AppliedRule, effect: RuleEffect): void {
    const effects = this.#effects.get(rule) ?? new Map<string, RuleEffect>();
    this.#effects.set(rule, effects.set(`${effect.part} ${effect.target}`, effect));
  }
}

/** Facts about the parts of rules that did nothing, for the reader of the picture. */
export function ruleWarnings(reports: readonly RuleReport[]): Warning[] {
  return reports.flatMap(({ id, host, effects }) =>
    effects
      .filter(({ problem }) => problem !== null)
      .map(({ part, target, problem }): Warning => {
        const message = `Site rule ${id} (${host}), ${nameOf(part)} ${target}: ${problem}`;
        return { code: 'site_rule_failed', message };
      }),
  );
}

const nameOf = (part: RulePart) => part.replace('_', ' ');

class BusyPageError extends Error {
  readonly failure: SiteFailure;

  constructor(failure: SiteFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** @throws BusyPageError if the page is not done with the selector in time. */
async function inTime<T>(step: Step, work: Promise<T>): Promise<T> {
  try {
    return await withDeadline(SELECTOR_MS, work);
  } catch (error) {
    if (error instanceof DeadlineError) throw new BusyPageError(failureOf(step, 'takes too long on this page'));
    throw error;
  }
}

function failureOf({ rule, part, selector }: Step, what: string): SiteFailure {
  const reason = `Site rule ${rule.id} (${rule.host}), ${nameOf(part)} ${selector}: it ${what}. Change or delete the rule.`;
  return { status: 'generic_error', reason };
}

const namesOf = (pairs: readonly { readonly name: string }[]) => pairs.map(({ name }) => name).join(', ');

const hostOf = (url: string) => URL.parse(url)?.hostname ?? '';

/** Whether both hosts are the same, or one is below the other; "www." does not count. */
function isSameSite(one: string, two: string): boolean {
  const [first, second] = [one, two].map((url) => hostOf(url).replace(/^www\./, ''));
  if (first === undefined || second === undefined || first === '' || second === '') return false;
  return first === second || first.endsWith(`.${second}`) || second.endsWith(`.${first}`);
}
