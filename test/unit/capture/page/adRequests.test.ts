import { expect, test } from 'vitest';
import { type AdRequestAction, actionFor } from '../../../../src/capture/page/adRequests.ts';

test.each<[string, string, AdRequestAction]>([
  ['https://securepubads.g.doubleclick.net/tag/js/gpt.js', 'script', 'pass'],
  ['https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202611/pubads_impl.js', 'script', 'pass'],
  ['https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js?client=ca-1', 'script', 'pass'],
  ['https://c.amazon-adsystem.com/aax2/apstag.js', 'script', 'pass'],
  ['https://securepubads.g.doubleclick.net/gampad/ads?iu=1', 'fetch', 'hold'],
  ['https://pagead2.googlesyndication.com/pagead/ads?client=1', 'xhr', 'hold'],
  ['https://ads.example.com/gampad/ads?iu=1', 'fetch', 'hold'],
  ['https://googleads.g.doubleclick.net/pagead/ads?client=ca-pub', 'document', 'empty'],
  ['https://ad.doubleclick.net/ddm/adj/N1/B2', 'script', 'drop'],
  ['https://ib.adnxs.com/ut/v3/prebid', 'xhr', 'drop'],
  ['https://a1b2.safeframe.googlesyndication.com/safeframe/1-0-40/html/container.html', 'document', 'empty'],
  ['https://www.example.com/news/ads-and-us', 'document', 'pass'],
  ['https://www.example.com/downloads/pagead-guide.pdf', 'document', 'pass'],
  ['data:text/html,/gampad/ads', 'document', 'pass'],
  ['not an address', 'fetch', 'pass'],
])('a request for %s as %s gets the action %s', (url, kind, action) => {
  expect(actionFor(url, kind)).toBe(action);
});
