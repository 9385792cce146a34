// biome-ignore-all lint/suspicious/noTemplateCurlyInString: macros look like that.
import { expect, it } from 'vitest';
import { replaceMacros } from '../../../../src/capture/creative/documents.ts';

it.each([
  '[CACHEBUSTER]',
  '[timestamp]',
  '%%CACHEBUSTER%%',
  '${CACHEBUSTER}',
  '[random]',
  '%5Btimestamp%5D',
  '{{CACHEBUSTER}}',
])('the macro %s is replaced by the cache buster', (macro) => {
  expect(replaceMacros(`https://a.test/?r=${macro}&x=1`, '42')).toBe('https://a.test/?r=42&x=1');
});

it.each(['%%CLICK_URL_UNESC%%', '%%CLICK_URL_ESC%%', '${CLICK_URL}', '[CLICK_URL]'])(
  'the macro %s before an address is removed',
  (macro) => {
    expect(replaceMacros(`<a href="${macro}https://shop.test">`, '42')).toBe('<a href="https://shop.test">');
  },
);

it.each(['{{clickTag}}', '{{ clickTag }}', '${clickTag}'])(
  'the macro %s in place of an address becomes about:blank',
  (macro) => {
    expect(replaceMacros(`<a href="${macro}">`, '42')).toBe('<a href="about:blank">');
  },
);

it("templates of a creative's own are unchanged", () => {
  const own = 'const t = `${name} costs ${price}`; x = {{headline}}; list[0]; "100%% wool"; a[random()]';
  expect(replaceMacros(own, '42')).toBe(own);
});
