import { expect, test } from 'vitest';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { codes, type Pictures, STORY } from './pictures.ts';
import { placed } from './sites.ts';

/** @param pictures started by the file that calls this. */
export function testPlaceMatrices(tier: Tier, pictures: () => Pictures): void {
  const OVER = [
    ['a text', 'line-height:40px'],
    ['a text that lets clicks through', 'line-height:40px;pointer-events:none'],
    ['a word at its lower edge', 'left:250px;top:230px;width:50px;height:30px;overflow:hidden;font:30px/30px serif'],
    ['a background', 'font-size:0;width:728px;height:400px;background:url(/photo) #eee'],
  ] as const;

  test.each(rowsOf(tier, OVER, ['a word at its lower edge', 'a background']))(
    'if there is no other way than over %s, the next slot is taken',
    async (_what, style) => {
      const stuck = `<div style="position:relative;height:400px"><p style="position:absolute;top:0;margin:0;${style}">${'Words that an ad must not hide. '.repeat(120)}</p><div style="position:absolute;top:0;left:0;width:728px"><div id="stuck" class="ad-slot"></div></div></div>`;
      const free = '<div id="below" class="ad-slot" style="width:300px;height:250px"></div>';
      const picture = await pictures().wholeAd(`${stuck}${STORY.repeat(4)}${free}${STORY}`, 'desktop');
      expect(picture.chosen.element).toBe('#below');
      const { result } = await pictures().take(`${stuck}${STORY}`, 'desktop', { slot: { selector: '#stuck' } });
      placed(result);
      expect(codes(result)).toContain('ad_covers_content');
    },
  );

  const slot = (style: string, inner = '') =>
    `<div id="div-gpt-ad-w" style="height:250px;${style}">${inner}</div>${STORY}`;

  const ACROSS = [
    ['in the center of a row as wide as the page', slot(''), 570],
    [
      'in the center of a row with an empty box of its size',
      slot('', '<div style="width:300px;height:250px"></div>'),
      570,
    ],
    ['in the center of a column that says nothing', slot('width:800px'), 250],
    ['at the end of a right-to-left row', slot('width:800px;direction:rtl;display:flex;justify-content:flex-end'), 0],
    ['at the side that the slot names', slot('width:800px;text-align:right'), 500],
    ['at the side that the innermost box names', slot('width:800px', '<div style="text-align:left"></div>'), 0],
  ] as const;

  test.each(
    rowsOf(tier, ACROSS, [
      'in the center of a row as wide as the page',
      'in the center of a row with an empty box of its size',
      'at the end of a right-to-left row',
      'at the side that the innermost box names',
    ]),
  )('the ad stands %s', async (_what, body, x) => {
    const picture = await pictures().wholeAd(body, 'desktop');
    expect(picture.adBox.x).toBe(x);
  });

  const again = (script: string, id = 'id="spot"') => `${STORY}
    <div ${id} class="ad-slot" style="width:300px;height:250px;margin:auto"></div>${STORY}<script>
    const filled = () => document.querySelector('.ad-slot:not(:empty)');
    let renders = 0;
    ${script}</script>`;
  const whenFilled = (act: string) => `new MutationObserver(() => { if (filled() && renders++ < 5) filled().${act}; })
    .observe(document.body, { childList: true, subtree: true });`;
  const replaces = whenFilled('replaceWith(filled().cloneNode())');

  const RENDERED_AGAIN = [
    ['empties it again and again', again('setInterval(() => filled()?.replaceChildren(), 30);')],
    ['replaces it', again(replaces)],
    ['replaces it and it has no id', again(replaces, '')],
    [
      'replaces it behind a new element and it has no id',
      again(whenFilled("replaceWith(document.createElement('p'), filled().cloneNode())"), ''),
    ],
  ] as const;

  test.each(
    rowsOf(tier, RENDERED_AGAIN, ['empties it again and again', 'replaces it behind a new element and it has no id']),
  )('a page that renders its slot again shows the ad although it %s', async (_what, body) => {
    await pictures().wholeAd(body, 'desktop');
  });
}
