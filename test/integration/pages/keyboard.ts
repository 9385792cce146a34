/** Walks through a page with the Tab key alone. */
import type { Page } from 'playwright';

/** Tab stops inside of one control: the parts of a date. */
const STOPS_OF_CONTROL = 5;

/** @returns the controls that Tab does not reach, and those on which the focus cannot be seen. */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const controls = await markControls(page);
  const waiting = new Set(controls.keys());
  const unseen = new Set<number>(controls.keys());
  for (let press = 0; waiting.size > 0 && press < controls.length * STOPS_OF_CONTROL + 10; press++) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    waiting.delete(focus.control);
    // On the button inside of a date, the browser draws the focus itself.
    if (focus.isSeen) unseen.delete(focus.control);
  }
  return [
    ...[...waiting].map((index) => `Tab does not reach ${controls[index]}`),
    ...[...unseen]
      .filter((index) => !waiting.has(index))
      .map((index) => `the focus cannot be seen on ${controls[index]}`),
  ];
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
      // Tab stops once in a group of radio buttons; arrow keys do the rest.
      const isRadio = element instanceof HTMLInputElement && element.type === 'radio';
      const group = isRadio ? `${[...document.forms].findIndex((form) => form === element.form)} ${element.name}` : '';
      const known = isRadio ? groups.get(group) : undefined;
      const index = known ?? controls.length;
      if (isRadio) groups.set(group, index);
      element.setAttribute('data-control', String(index));
      if (known === undefined) controls.push(`${element.tagName} ${(element.textContent ?? '').trim().slice(0, 40)}`);
    }
    document.body.tabIndex = -1;
    document.body.focus();
    return controls;
  });
}

function focusOf(page: Page): Promise<{ control: number; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const named = element?.getAttribute('data-control') ?? null;
    if (element === null || named === null) return { control: -1, isSeen: true };
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    return { control: Number(named), isSeen: hasOutline || boxShadow !== 'none' };
  });
}
