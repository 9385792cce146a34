import { expect, test } from 'vitest';
import { AD_REQUESTS, type AdRequestAction, actionFor } from '../../../../src/capture/page/adRequests.ts';

test.each<[string, string, AdRequestAction]>([
  ['https://securepubads.g.doubleclick.net/tag/js/gpt.js', 'Script', 'pass'],
  ['https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202611/pubads_impl.js', 'Script', 'pass'],
  ['https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js?client=ca-1', 'Script', 'pass'],
  ['https://c.amazon-adsystem.com/aax2/apstag.js', 'Script', 'pass'],
  ['https://securepubads.g.doubleclick.net/gampad/ads?iu=1', 'Fetch', 'hold'],
  ['https://pagead2.googlesyndication.com/pagead/ads?client=1', 'XHR', 'hold'],
  ['https://ads.example.com/gampad/ads?iu=1', 'Fetch', 'hold'],
  ['https://googleads.g.doubleclick.net/pagead/ads?client=ca-pub', 'Document', 'empty'],
  ['https://ad.doubleclick.net/ddm/adj/N1/B2', 'Script', 'drop'],
  ['https://ib.adnxs.com/ut/v3/prebid', 'XHR', 'drop'],
  ['https://a1b2.safeframe.googlesyndication.com/safeframe/1-0-40/html/container.html', 'Document', 'empty'],
  ['https://bids.example.com:8443/openrtb2/auction', 'Fetch', 'drop'],
  ['https://www.example.com/prebid/auction', 'XHR', 'drop'],
  ['https://www.example.com/header-auction', 'XHR', 'drop'],
  ['https://www.example.com/translator?bids=1', 'XHR', 'drop'],
  ['https://www.example.com/e/dtb/bid', 'XHR', 'drop'],
  ['https://cdn.taboola.com:444/libtrc/loader', 'Script', 'drop'],
  ['https://html-load.com/loader.min.js', 'Script', 'hold'],
  ['https://fb.content-loader.com/core.js', 'Script', 'hold'],
  ['https://www.example.com/news/ads-and-us', 'Document', 'pass'],
  ['https://www.example.com/downloads/pagead-guide.pdf', 'Document', 'pass'],
  ['data:text/html,/gampad/ads', 'Document', 'pass'],
  ['not an address', 'Fetch', 'pass'],
])('a request for %s as %s gets the action %s', (url, kind, action) => {
  expect(actionFor(url, kind)).toBe(action);
  // The browser only asks about requests that match a pattern.
  if (action !== 'pass') expect(AD_REQUESTS.some((pattern) => matches(pattern, url))).toBe(true);
});

/** As the DevTools protocol defines its wildcards. */
function matches(pattern: string, url: string): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source}$`).test(url);
}
