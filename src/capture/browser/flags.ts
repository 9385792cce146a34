/** Command-line flags that both browsers of a capture share: the stepped one and the page's. */

/**
 * Features that are off in both browsers. It begins with Playwright's own list, because a second
 * `--disable-features` replaces the first instead of adding to it: join all of it into one flag.
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
  // Ours: multicast names of WebRTC candidates and the search for displays would go around the proxy.
  'WebRtcHideLocalIpsWithMdns',
  'DialMediaRouteProvider',
];

/** @returns the one flag that switches {@link DISABLED_FEATURES} and `more` off. */
export function disabledFeaturesFlag(more: readonly string[] = []): string {
  return `--disable-features=${[...DISABLED_FEATURES, ...more].join(',')}`;
}

/**
 * Leaves the proxy as the only way out: loopback too, and neither QUIC, WebRTC's own UDP nor questions to name servers around it.
 * @param proxyUrl for example `http://127.0.0.1:4000`.
 */
export function networkFlags(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    // Without it, loopback goes around the proxy.
    '--proxy-bypass-list=<-loopback>',
    // The flag of this name without "force" does nothing.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // The proxy looks names up; WebRTC would ask name servers for those of its own servers.
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1',
  ];
}
