/** Which requests of a page would fill its ad slots. The scripts that declare the slots are never among them. */

/** `hold`: never answered, so that the slot stays as its page reserved it; `empty`: a blank document; `drop`: fails. */
export type AdRequestFate = 'pass' | 'hold' | 'empty' | 'drop';

/** The kinds of request that Playwright tells apart. */
export type RequestKind = string;

/** Calls for ads, by path, whatever the host: ad servers are reached through customers' own names too. */
const FILLING_PATHS = [
  /\/gampad\/(ads|adx|live)\b/,
  /\/pagead\/(ads|html|adview|gen_204)\b/,
  /\/openrtb2?\b/,
  /\/hb-multi\b/,
  /\/prebid\/(auction|bid|request)\b/,
  /\/(translator|bidrequest|hbopenbid|header-?auction)\b/,
  /\/e\/dtb\/bid\b/,
  /\/ut\/v3\/prebid\b/,
];

/** Hosts that do nothing but bid for slots or fill them. */
const FILLING_HOSTS = [
  'ad.doubleclick.net',
  'googleads.g.doubleclick.net',
  'ads.pubmatic.com',
  'hbopenbid.pubmatic.com',
  'ib.adnxs.com',
  'acdn.adnxs.com',
  'fastlane.rubiconproject.com',
  'prebid-server.rubiconproject.com',
  'bidder.criteo.com',
  'htlb.casalemedia.com',
  'as-sec.casalemedia.com',
  'rtb.openx.net',
  'c.amazon-adsystem.com',
  'aax.amazon-adsystem.com',
  'tlx.3lift.com',
  'ap.lijit.com',
  'btlr.sharethrough.com',
  'hb.yahoo.net',
  'ssc.33across.com',
  'cdn.taboola.com',
  'trc.taboola.com',
  'odb.outbrain.com',
  'tpc.googlesyndication.com',
];

/** Scripts on such hosts that declare slots, or are waited for by those that do. */
const DECLARING = /\/(gpt|pubads_impl[^/]*|adsbygoogle|show_ads[^/]*|apstag|prebid[^/]*|pwt|loader)\.js\b/;

export function fateOf(url: string, kind: RequestKind): AdRequestFate {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return 'pass';
  if (kind === 'script' && DECLARING.test(address.pathname)) return 'pass';
  if (!fills(address)) return 'pass';
  if (kind === 'document') return 'empty';
  // A script that waits for it, or a bidder that never answers, would hold the page up; a call of the ad server's library does not.
  return (kind === 'fetch' || kind === 'xhr') && isAdServerCall(address) ? 'hold' : 'drop';
}

function fills(address: URL): boolean {
  if (FILLING_PATHS.some((path) => path.test(address.pathname))) return true;
  return FILLING_HOSTS.includes(address.hostname) || address.hostname.endsWith('.safeframe.googlesyndication.com');
}

function isAdServerCall(address: URL): boolean {
  return /\/(gampad|pagead)\//.test(address.pathname);
}
