/** The reader of HTML that tests of pages use in place of a browser. */
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../support/html/forms.ts';
import { parseHtml } from '../../support/html/part.ts';

describe('a search', () => {
  const page = parseHtml(`<main id="m"><p class="a b">One</p><div><p class="a" title="x">Two &lt;b&gt;</p></div></main>
    <details><summary aria-label="More">…</summary><a href="/z">Hidden</a></details>`);

  it.each([
    ['p', 2],
    ['p.a.b', 1],
    ['#m > p', 1],
    ['#m p, summary', 3],
    ['[title]', 1],
    ['[title="x"], a[href^="/"]', 2],
    ['p:not([title])', 1],
    ['div p', 1],
    ['p div', 0],
  ])('the selector %s finds %i elements', (selector, count) => {
    expect(page.locator(selector).count()).toBe(count);
  });

  it('a selector that it does not know is an error', () => {
    expect(() => page.locator('p:first-child').count()).toThrow('not supported');
  });

  it('it decodes text, and finds the innermost element with it', () => {
    expect(page.getByText('two').textContent()).toBe('Two <b>');
  });

  it('a link in closed details is found by its role when they are open', () => {
    expect(page.getByRole('link', { name: 'Hidden' }).count()).toBe(0);
    page.getByLabel('More').click();
    expect(page.getByRole('link', { name: 'hidden' }).count()).toBe(1);
    expect(page.getByRole('link', { name: 'hidden', exact: true }).count()).toBe(0);
  });

  it('a value of several elements is an error', () => {
    expect(() => page.locator('p').textContent()).toThrow('There are 2 of p.');
  });
});

describe('a form', () => {
  const form = () =>
    parseHtml(`<form method="post" action="/go"><label>Name <input name="name" required></label>
      <input type="radio" name="r" value="1" checked><input type="radio" name="r" value="2">
      <input type="checkbox" name="c" value="yes"><input name="off" value="x" disabled>
      <select name="s"><option value="a">A</option><option value="b">B</option></select>
      <textarea name="t">
a &amp; b</textarea><button name="do" value="one">One</button><button name="do" value="two">Two</button></form>`);

  it('it sends what a browser sends', () => {
    const page = form();
    page.getByLabel('Name').fill('Ann');
    page.locator('[value="2"]').check();
    page.locator('select').selectOption('B');
    const { address, isPost, fields } = requestOf(page.getByRole('button', { name: 'Two' }));
    expect([address, isPost, Object.fromEntries(fields)]).toEqual([
      '/go',
      true,
      { name: 'Ann', r: '2', s: 'b', t: 'a & b', do: 'two' },
    ]);
  });

  it('a required field without a value keeps it from being sent', () => {
    expect(() => requestOf(form().getByRole('button', { name: 'One' }))).toThrow('The field name is not valid');
  });
});
