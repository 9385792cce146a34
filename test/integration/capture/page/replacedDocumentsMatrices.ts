import { expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { ad, device, placed, readyPage, type Sites } from './sites.ts';

const go = (to: string) => `location.href = '${to}'`;
export const page = (head: string) => `<!doctype html>${head}<body><p>${'Please wait. '.repeat(4_000)}</p>`;

const REPLACED = [
  ['a refresh at once', '<meta http-equiv="refresh" content="0; url=/arrived">'],
  ['a refresh after a second', '<meta http-equiv="refresh" content="1; url=/arrived">'],
  ['its load event', `<script>onload = () => { ${go('/arrived')} }</script>`],
  ['a script at once', `<script>${go('/arrived')}</script>`],
  ['a timer of half a second', `<script>setTimeout(() => { ${go('/arrived')} }, 500)</script>`],
  ['a timer of two seconds', `<script>setTimeout(() => { ${go('/arrived')} }, 2_000)</script>`],
  ['the first scroll', `<script>onscroll = () => { ${go('/arrived')} }</script>`],
] as const;

const ENDLESS = [
  ['a refresh', '<meta http-equiv="refresh" content="0; url=/again">'],
  ['a script', `<script>onload = () => { ${go('/again')} }</script>`],
] as const;

export interface Opened {
  readonly sites: Sites;
  readonly opener: PageOpener;
}

/** @param opened started by the file that calls this. */
export function testReplacedDocuments(tier: Tier, opened: () => Opened): void {
  const open = (path: string, head: string) => {
    const { sites, opener } = opened();
    sites.put(
      '/arrived',
      '<!doctype html><div id="div-gpt-ad-1" style="width:300px;height:250px"></div><p>A story.</p>',
    );
    return opener.open(sites.put(path, page(head)), device('desktop'));
  };

  test.each(rowsOf(tier, REPLACED, ['a refresh at once', 'a script at once', 'the first scroll']))(
    'the capture follows %s',
    async (what, head) => {
      const shown = await open(`/from-${what.replaceAll(' ', '-')}`, head);
      readyPage(shown);
      expect(new URL(shown.finalUrl).pathname).toBe('/arrived');
      placed(await shown.place(await ad(300, 250)));
      await shown.close();
    },
  );

  test.each(rowsOf(tier, ENDLESS, ['a script']))('%s without end gives a reason', async (_what, head) => {
    expect(await open('/again', head)).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('replaced its page'),
    });
  });
}
