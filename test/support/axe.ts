/** Checks a page with axe-core: the rules of WCAG 2.2 AA and the best practices. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** @param rules names of rules; all of {@link TAGS} unless given. @returns one line for each element with a fault. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // An evaluated script is not subject to the Content-Security-Policy of the page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ tags, rules }) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const { violations } = await axe.run(document, {
        runOnly: rules === undefined ? { type: 'tag', values: tags } : { type: 'rule', values: rules },
        resultTypes: ['violations'],
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`,
        ),
      );
    },
    { tags: TAGS, rules: rules === undefined ? undefined : [...rules] },
  );
}

/** @returns the widest element that makes the page scroll sideways, or undefined. */
export function sidewaysScroll(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return undefined;
    const wide = [...document.querySelectorAll('body *')].find(
      (one) => one.getBoundingClientRect().right > clientWidth + 1,
    );
    return `${scrollWidth} px wide: ${wide?.outerHTML.slice(0, 200)}`;
  });
}
