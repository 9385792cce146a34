/** Installs the parts of other ad platforms' libraries that creatives need to start: Sizmek, Adform, Flashtalking, Weborama. */
type Create = typeof import('./lifecycle.ts').lifecycle;
type WithNoOps = typeof import('./lifecycle.ts').withNoOps;

export function installSizmek(create: Create, withNoOps: WithNoOps): void {
  const events = create(['EBInitialized'], ['PageLoaded'], () => []);
  const names = { EB_INITIALIZED: 'EBInitialized', PAGE_LOADED: 'PageLoaded' };
  const EventName = new Proxy(names, { get: (target, name) => Reflect.get(target, name) ?? String(name) });
  const EB = withNoOps({
    isInitialized: () => events.has('EBInitialized'),
    addEventListener: events.on,
    removeEventListener: events.off,
    getAssetUrl: (name: string) => name,
  });
  const adkit = withNoOps({
    onReady: (listener: unknown) => events.on('EBInitialized', listener),
    getAssetUrl: (name: string) => name,
  });
  Object.assign(window, { EB, EBG: withNoOps({ EventName }), adkit });
}

export function installAdform(_create: Create, withNoOps: WithNoOps): void {
  const fallback = (_name: string, value: unknown) => value;
  const dhtml = withNoOps({
    width: window.innerWidth,
    height: window.innerHeight,
    getVar: fallback,
    getAsset: fallback,
    byId: (id: string) => document.getElementById(id),
    external: withNoOps({}),
    sharedEvents: withNoOps({}),
  });
  Object.assign(window, { dhtml, Adform: withNoOps({ dhtml }) });
}

export function installFlashtalking(create: Create, withNoOps: WithNoOps): void {
  const events = create([], ['instantads', 'ready', 'richload'], () => []);
  const all = (selector: string) => document.querySelectorAll(selector);
  const myFT = withNoOps({ on: events.on, addEventListener: events.on, instantAds: {}, $: all, q: all });
  // `new FT()` gives the same object.
  const FT = Object.assign(
    function FT() {
      return myFT;
    },
    { manifest: () => undefined },
  );
  Object.assign(window, { myFT, FT });
}

export function installWeborama(_create: Create, withNoOps: WithNoOps): void {
  Object.assign(window, { screenad: withNoOps({ shared: {} }) });
}
