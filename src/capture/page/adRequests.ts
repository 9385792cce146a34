/** Decides which requests of a page to block because they would fill its ad slots. Scripts that declare slots always pass. */

/** `hold`: never answered, so that the slot keeps the space that its page reserved; `empty`: a blank document; `drop`: fails. */
export type AdRequestAction = 'pass' | 'hold' | 'empty' | 'drop';

/**
 * Paths of calls for ads on any host, because publishers also reach ad servers through their own host names. Each has words that
 * its URLs contain.
 */
const FILLING_PATHS: readonly [path: RegExp, ...words: string[]][] = [
  [/\/gampad\/(ads|adx|live)\b/, '/gampad/'],
  [/\/pagead\/(ads|html|adview|gen_204)\b/, '/pagead/'],
  [/\/openrtb2?\b/, '/openrtb'],
  [/\/hb-multi\b/, '/hb-multi'],
  [/\/prebid\/(auction|bid|request)\b/, '/prebid/'],
  [/\/(translator|bidrequest|hbopenbid)\b/, '/translator', '/bidrequest', '/hbopenbid'],
  [/\/header-?auction\b/, '/headerauction', '/header-auction'],
  [/\/e\/dtb\/bid\b/, '/e/dtb/bid'],
  [/\/ut\/v3\/prebid\b/, '/ut/v3/prebid'],
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

/**
 * Loaders of Ad-Shield, which fill slots again where ads are blocked. Their tags remove the whole page when the loader fails or
 * loads without its handshake, so it never gets an answer.
 */
const AD_SHIELD_HOSTS = ['html-load.com', 'html-load.cc', 'content-loader.com', 'css-load.com'].flatMap((host) => [
  host,
  `fb.${host}`,
]);

/** Scripts on such hosts that declare slots, or that scripts which declare slots wait for. */
const DECLARING = /\/(gpt|pubads_impl[^/]*|adsbygoogle|show_ads[^/]*|apstag|prebid[^/]*|pwt|loader)\.js\b/;

const SAFEFRAME = '.safeframe.googlesyndication.com';

/** Wildcard patterns that match the URL of each request that must not pass, and few others. */
export const AD_REQUESTS: readonly string[] = [
  ...FILLING_PATHS.flatMap(([, ...words]) => words.map((word) => `*${word}*`)),
  ...[...FILLING_HOSTS, ...AD_SHIELD_HOSTS, `*${SAFEFRAME}`].flatMap((host) => [
    `http*://${host}/*`,
    `http*://${host}:*`,
  ]),
];

/** @param kind the resource type, as the DevTools protocol names it: `Document`, `Script`, `XHR` and so on. */
export function actionFor(url: string, kind: string): AdRequestAction {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return 'pass';
  if (kind === 'Script' && AD_SHIELD_HOSTS.includes(address.hostname)) return 'hold';
  if (kind === 'Script' && DECLARING.test(address.pathname)) return 'pass';
  if (!fills(address)) return 'pass';
  if (kind === 'Document') return 'empty';
  // A call of the ad server's library may wait without an answer. A held bidder would delay the page.
  return (kind === 'Fetch' || kind === 'XHR') && isAdServerCall(address) ? 'hold' : 'drop';
}

function fills(address: URL): boolean {
  if (FILLING_PATHS.some(([path]) => path.test(address.pathname))) return true;
  return FILLING_HOSTS.includes(address.hostname) || address.hostname.endsWith(SAFEFRAME);
}

function isAdServerCall(address: URL): boolean {
  return /\/(gampad|pagead)\//.test(address.pathname);
}
