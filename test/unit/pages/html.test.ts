import { describe, expect, it } from 'vitest';
import { html } from '../../../src/lib/html.ts';
import { webLink } from '../../../src/pages/parts/pictureParts.ts';

describe('the html tag', () => {
  it('the html tag escapes values in elements and in quoted attributes', () => {
    const evil = `<b title="x" id='y'>&amp;`;
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
      '<p title="&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;">&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;</p>',
    );
  });

  it('the html tag does not escape html again, also in lists', () => {
    expect(html`<ul>${['<', '&'].map((text) => html`<li>${text}</li>`)}</ul>`.text).toBe(
      '<ul><li>&lt;</li><li>&amp;</li></ul>',
    );
  });

  it('the html tag leaves out null, undefined, false and empty text, but not zero', () => {
    expect(html`${null}${undefined}${false}${0}${''}`.text).toBe('0');
  });

  it.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'no address', ''])(
    'the address %j does not become a link',
    (address) => {
      expect(webLink(address).text).not.toContain('<a');
    },
  );

  it('a web address becomes a link that sends no referrer to the site', () => {
    expect(webLink('https://x.example/?a=1&b=2').text).toBe(
      '<a href="https://x.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">https://x.example/?a=1&amp;b=2</a>',
    );
  });

  it('a site that was given without a scheme becomes a link with https', () => {
    expect(webLink('news.example:8080/a', 'Open the page').text).toContain('href="https://news.example:8080/a"');
  });
});
