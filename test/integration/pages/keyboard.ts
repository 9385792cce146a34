/** Walks through a page with the Tab key alone. */
import type { Page } from 'playwright';

/** Tab stops inside of one control: the parts of a date. */
const STOPS_OF_CONTROL = 5;

/** Presses of Tab between two looks at the page. */
const PRESSES = 10;

/** @returns the controls that Tab does not reach, and those on which the focus cannot be seen. */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const controls = await markControls(page);
  let faults: string[] = [];
  for (let press = 0; press < controls.length * STOPS_OF_CONTROL + 10; press += PRESSES) {
    for (let time = 0; time < PRESSES; time += 1) await page.keyboard.press('Tab');
    faults = await readFaults(page, controls);
    if (faults.length === 0) return [];
  }
  return faults;
}

/** Each control notes in `data-focus` whether its focus was seen. */
function readFaults(page: Page, controls: readonly string[]): Promise<string[]> {
  return page.evaluate(
    (names) =>
      names.flatMap((name, index) => {
        const states = [...document.querySelectorAll(`[data-control="${index}"]`)].map((one) =>
          one.getAttribute('data-focus'),
        );
        if (states.includes('seen')) return [];
        return states.includes('unseen') ? `the focus cannot be seen on ${name}` : `Tab does not reach ${name}`;
      }),
    [...controls],
  );
}

/** Numbers the controls in `data-control` and puts the focus before the first one. @returns their tags and texts. */
function markControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls: string[] = [];
    const groups = new Map<string, number>();
    for (const element of document.querySelectorAll(
      'a[href], button, input:not([type=hidden]), select, textarea, summary',
    )) {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(':disabled')) continue;
      // Arrow keys reach the other tabs of a list of tabs.
      if (element.matches('[role=tab][tabindex="-1"]')) continue;
      // Tab stops once in a group of radio buttons; arrow keys do the rest.
      const isRadio = element instanceof HTMLInputElement && element.type === 'radio';
      const group = isRadio ? `${[...document.forms].findIndex((form) => form === element.form)} ${element.name}` : '';
      const known = isRadio ? groups.get(group) : undefined;
      const index = known ?? controls.length;
      if (isRadio) groups.set(group, index);
      element.setAttribute('data-control', String(index));
      if (known === undefined) controls.push(`${element.tagName} ${(element.textContent ?? '').trim().slice(0, 40)}`);
    }
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement) || target.getAttribute('data-focus') === 'seen') return;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
      const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      target.setAttribute('data-focus', hasOutline || boxShadow !== 'none' ? 'seen' : 'unseen');
    });
    document.body.tabIndex = -1;
    document.body.focus();
    return controls;
  });
}
