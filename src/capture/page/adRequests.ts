/** Decides which requests of a page to block because they would fill its ad slots. Scripts that declare slots always pass. */

/** `hold`: never answered, so that the slot keeps the space that its page reserved; `empty`: a blank document; `drop`: fails. */
export type AdRequestAction = 'pass' | 'hold' | 'empty' | 'drop';

/** A resource type, as Playwright names it. */
export type RequestKind = string;

/** Paths of calls for ads on any host, because publishers also reach ad servers through their own host names. */
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

/** Hosts that only bid for slots or fill them. */
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

/** Scripts on such hosts that declare slots, or that scripts which declare slots wait for. */
const DECLARING = /\/(gpt|pubads_impl[^/]*|adsbygoogle|show_ads[^/]*|apstag|prebid[^/]*|pwt|loader)\.js\b/;

export function actionFor(url: string, kind: RequestKind): AdRequestAction {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return 'pass';
  if (kind === 'script' && DECLARING.test(address.pathname)) return 'pass';
  if (!fills(address)) return 'pass';
  if (kind === 'document') return 'empty';
  // Only a call of the ad server's library may wait without an answer. A held script or bidder would delay the page.
  return (kind === 'fetch' || kind === 'xhr') && isAdServerCall(address) ? 'hold' : 'drop';
}

function fills(address: URL): boolean {
  if (FILLING_PATHS.some((path) => path.test(address.pathname))) return true;
  return FILLING_HOSTS.includes(address.hostname) || address.hostname.endsWith('.safeframe.googlesyndication.com');
}

function isAdServerCall(address: URL): boolean {
  return /\/(gampad|pagead)\//.test(address.pathname);
}
