/** Command-line flags of both browsers of a capture: the stepped browser and the browser of pages. */

/**
 * Features that are off in both browsers. The list starts with Playwright's own, because a second
 * `--disable-features` replaces the first one.
 */
const DISABLED_FEATURES: readonly string[] = [
  // Playwright's.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'Translate',
  // Ours: mDNS names of WebRTC candidates and the search for displays would bypass the proxy.
  'WebRtcHideLocalIpsWithMdns',
  'DialMediaRouteProvider',
];

/** @returns the flag that switches {@link DISABLED_FEATURES} and `more` off. */
export function disabledFeaturesFlag(more: readonly string[] = []): string {
  return `--disable-features=${[...DISABLED_FEATURES, ...more].join(',')}`;
}

/**
 * Sends all traffic through the proxy, loopback included. QUIC, WebRTC over UDP and DNS queries, which would bypass it, are off.
 * @param proxyUrl for example `http://127.0.0.1:4000`.
 */
export function networkFlags(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    // Without this flag, loopback bypasses the proxy.
    '--proxy-bypass-list=<-loopback>',
    // The same flag without "force" has no effect.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // The proxy resolves names. WebRTC would send DNS queries for its own servers.
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1',
  ];
}
