import { expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { device, readyPage, type Sites } from './sites.ts';

export const reportingClick = (button: string) =>
  `onclick="fetch('/pressed?${button}'); document.getElementById('layer').remove()"`;
export const layer = (inside: string) =>
  `<!doctype html><div id="layer" style="position:fixed;inset:0;background:#fff;z-index:9">${inside}</div>`;

export interface Opened {
  readonly sites: Sites;
  readonly opener: PageOpener;
}

/** @returns the button that the capture pressed, by its request. */
export async function pressed({ sites, opener }: Opened, path: string, body: string): Promise<string | undefined> {
  const before = sites.asked.length;
  const open = await opener.open(sites.put(path, body), device('desktop'));
  readyPage(open);
  await open.close();
  return sites.asked
    .slice(before)
    .find((asked) => asked.startsWith('/pressed?'))
    ?.slice(9);
}

const LANGUAGES = [
  ['fr', 'Nous et nos partenaires utilisons des cookies.', 'Tout accepter'],
  ['ko', '이 사이트는 쿠키를 사용합니다.', '동의'],
  ['hu', 'Ez az oldal sütiket használ.', 'Elfogadom'],
] as const;

/** @param opened started by the file that calls this. */
export function testLanguages(tier: Tier, opened: () => Opened): void {
  test.each(rowsOf(tier, LANGUAGES, ['ko']))(
    'a dialog in %s without a known rule is answered by its own button',
    async (language, text, button) => {
      const body = `<meta charset="utf-8">${layer(`<p>${text}</p><a href="#" ${reportingClick(language)}>${button}</a>`)}`;
      expect(await pressed(opened(), `/unknown-${language}`, body)).toBe(language);
    },
  );
}
