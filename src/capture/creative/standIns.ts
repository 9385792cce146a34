/**
 * Scripts that the environment of an ad provides to creatives, and libraries of ad platforms that a creative cannot start
 * without. An app provides `mraid.js`, so the creative never brings it. The libraries come from the platforms; a stand-in
 * helps only if they do not load.
 */
import type { SubstituteScript } from '../browser/requests.ts';

/**
 * The events of an ad library as its creatives expect them: each state is reached once, in order. A listener that comes later is
 * called at once, because some creatives never ask for the state. The function runs in the page and uses only the browser's globals.
 */
interface Lifecycle {
  has(state: string): boolean;
  on(type: string, listener: unknown): void;
  off(type: string, listener: unknown): void;
  fire(type: string, ...values: unknown[]): void;
}

type Create = typeof lifecycle;
type WithNoOps = typeof withNoOps;
type Install = (create: Create, noOps: WithNoOps) => void;

export const STAND_INS: readonly SubstituteScript[] = [
  {
    pattern: '*mraid.js*',
    path: /(^|\/)mraid\.js$/i,
    when: 'always',
    code: codeOf(installMraid),
    note: 'Tearsheet provided mraid.js, as an app does.',
  },
  platform({ name: 'Enabler', pattern: '*nabler*.js*', path: /\/Enabler[\w.]*\.js$/i, install: installEnabler }),
  platform({ name: 'EBLoader', pattern: '*EBLoader*.js*', path: /\/EBLoader[\w.]*\.js$/i, install: installSizmek }),
  platform({ name: 'adkit', pattern: '*dkit*.js*', path: /\/adkit[\w.]*\.js$/i, install: installSizmek }),
  platform({
    name: 'Adform DHTML',
    pattern: '*DHTML*.js*',
    path: /\/Adform\.DHTML[\w.]*\.js$/i,
    install: installAdform,
  }),
  platform({ name: 'Flashtalking', pattern: '*html5API*.js*', path: /\/html5API\.js$/i, install: installFlashtalking }),
  platform({
    name: 'screenad',
    pattern: '*screenad*.js*',
    path: /\/screenad_\w[\w.]*\.js$/i,
    install: installWeborama,
  }),
];

interface Platform {
  readonly name: string;
  readonly pattern: string;
  readonly path: RegExp;
  readonly install: Install;
}

function platform({ name, pattern, path, install }: Platform): SubstituteScript {
  const note = `The library ${name} did not load, so Tearsheet used a stand-in for it.`;
  return { pattern, path, when: 'failed', code: codeOf(install), note };
}

/** @returns a script that runs the function with its helpers. The parameters have the names that the compiled code declares. */
function codeOf(install: Install): string {
  return `(${install})(${lifecycle}, ${withNoOps});`;
}

/**
 * @param parsed states that are reached when the document is parsed. @param loaded states that are reached when it has loaded.
 * @param valuesOf the arguments of the listeners of a state.
 */
function lifecycle(
  parsed: readonly string[],
  loaded: readonly string[],
  valuesOf: (state: string) => unknown[],
): Lifecycle {
  const listeners = new Map<string, Set<unknown>>();
  const reached = new Set<string>();
  const call = (listener: unknown, values: unknown[]) => {
    try {
      if (typeof listener === 'function') listener(...values);
    } catch (error) {
      console.error(error);
    }
  };
  const fire = (type: string, ...values: unknown[]) => {
    for (const listener of [...(listeners.get(type) ?? [])]) call(listener, values);
  };
  const reach = (states: readonly string[]) => {
    for (const state of states) {
      reached.add(state);
      fire(state, ...valuesOf(state));
    }
  };
  const on = (type: string, listener: unknown) => {
    listeners.set(type, (listeners.get(type) ?? new Set()).add(listener));
    if (reached.has(type)) setTimeout(() => call(listener, valuesOf(type)), 0);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => reach(parsed));
  else setTimeout(() => reach(parsed), 0);
  if (document.readyState === 'complete') setTimeout(() => reach(loaded), 0);
  else window.addEventListener('load', () => reach(loaded));
  return { has: (state) => reached.has(state), on, off: (type, one) => listeners.get(type)?.delete(one), fire };
}

/** @returns the object with another value for each name that it does not have. Default: a function that does nothing. */
function withNoOps(known: Record<string, unknown>, other: () => unknown = () => () => undefined): object {
  return new Proxy(known, { get: (target, name) => (name in target ? Reflect.get(target, name) : other()) });
}

function installSizmek(create: Create, withNoOps: WithNoOps): void {
  const events = create(['EBInitialized'], ['PageLoaded'], () => []);
  const names = { EB_INITIALIZED: 'EBInitialized', PAGE_LOADED: 'PageLoaded' };
  const EventName = new Proxy(names, { get: (target, name) => Reflect.get(target, name) ?? String(name) });
  const EB = withNoOps({
    isInitialized: () => events.has('EBInitialized'),
    addEventListener: events.on,
    removeEventListener: events.off,
    getAssetUrl: (name: string) => name,
    clickthrough: (name: string) => window.open(`https://exit.example/${name}`),
  });
  const adkit = withNoOps({
    onReady: (listener: unknown) => events.on('EBInitialized', listener),
    getAssetUrl: (name: string) => name,
  });
  Object.assign(window, { EB, EBG: withNoOps({ EventName }), adkit });
}

function installAdform(_create: Create, withNoOps: WithNoOps): void {
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

function installFlashtalking(create: Create, withNoOps: WithNoOps): void {
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

function installWeborama(_create: Create, withNoOps: WithNoOps): void {
  Object.assign(window, { screenad: withNoOps({ shared: {} }) });
}

/** Installs `Enabler` and `studio` (Google Studio) for an ad that is visible. It runs in the page. */
function installEnabler(create: Create, withNoOps: WithNoOps): void {
  class StudioEvent {
    readonly type: string;
    constructor(type: string) {
      this.type = type;
    }
  }
  const camelCase = (name: string) => name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  /** A name of Google's constants, such as PAGE_LOADED, has the value pageLoaded. */
  const constants = (owner: object) =>
    new Proxy(owner, {
      get: (target, name) =>
        typeof name === 'string' && /^[A-Z][A-Z_\d]*$/.test(name) ? camelCase(name) : Reflect.get(target, name),
    });
  const events = create(['init'], ['pageLoaded', 'visible'], (type) => [new StudioEvent(type)]);
  const loadScript = (url: string, done?: unknown) => {
    const script = document.createElement('script');
    script.src = url;
    if (typeof done === 'function') script.onload = () => done();
    document.head.append(script);
  };
  const Enabler = withNoOps({
    isInitialized: () => events.has('init'),
    isPageLoaded: () => events.has('pageLoaded'),
    isVisible: () => events.has('visible'),
    callAfterInitialized: (listener: unknown) => events.on('init', listener),
    addEventListener: events.on,
    removeEventListener: events.off,
    dispatchEvent: (event: { type: string }) => events.fire(event.type, event),
    loadModule: (_module: unknown, done?: unknown) => {
      if (typeof done === 'function') setTimeout(() => done(), 0);
    },
    loadScript,
    exit: (name: string) => window.open(`https://exit.example/${name}`),
    exitOverride: (name: string) => window.open(`https://exit.example/${name}`),
    getUrl: (url: string) => url,
    getFilename: (url: string) => url,
    getParameter: () => null,
    getParameterAsInteger: () => 0,
    getParameterAsNullableString: () => null,
    getContainerState: () => 'collapsed',
    getOrientation: () => ({ getMode: () => 'portrait', getDegrees: () => 0 }),
    getVisibility: () => 1,
    setDevDynamicContent: (content: unknown) => Reflect.set(window, 'dynamicContent', content),
  });
  /** Any name of a name, callable: creatives reach deep into parts of Studio that draw nothing. */
  const anything = (): object =>
    new Proxy(() => undefined, {
      get: (target, name) => (typeof name === 'symbol' ? Reflect.get(target, name) : anything()),
    });
  const orAnything = (known: Record<string, unknown>) => withNoOps(known, anything);
  const studio = orAnything({
    Enabler,
    events: orAnything({ StudioEvent: constants(StudioEvent) }),
    module: orAnything({ ModuleId: constants({}) }),
    common: orAnything({ Environment: constants({ hasType: () => false, Type: constants({}) }) }),
    video: orAnything({ Reporter: withNoOps({}) }),
  });
  Object.assign(window, { Enabler, studio });
}

/** Installs `mraid` (MRAID 3) for an inline ad that is fully visible. It runs in the page. */
function installMraid(create: Create): void {
  const sizeNow = () => ({ width: window.innerWidth, height: window.innerHeight });
  const box = () => ({ x: 0, y: 0, ...sizeNow() });
  const valuesOf = (event: string): unknown[] => {
    if (event === 'stateChange') return ['default'];
    if (event === 'viewableChange') return [true];
    if (event === 'exposureChange') return [100, box(), null];
    if (event === 'sizeChange') return [window.innerWidth, window.innerHeight];
    return [];
  };
  const ready = ['stateChange', 'ready', 'viewableChange', 'exposureChange', 'sizeChange'];
  const events: Lifecycle = create([], ready, valuesOf);
  const orientation = { allowOrientationChange: true, forceOrientation: 'none' };
  const expansion = { ...sizeNow(), useCustomClose: false, isModal: true };
  let resizing: unknown;
  const nothing = () => undefined;
  const actions =
    'close unload expand resize useCustomClose playVideo storePicture createCalendarEvent initVpaid isViewableByUser';
  Reflect.set(window, 'mraid', {
    ...Object.fromEntries(actions.split(' ').map((name) => [name, nothing])),
    open: (url: string) => window.open(url),
    getVersion: () => '3.0',
    getState: () => (events.has('ready') ? 'default' : 'loading'),
    isViewable: () => events.has('viewableChange'),
    getPlacementType: () => 'inline',
    addEventListener: events.on,
    removeEventListener: events.off,
    supports: (feature: string) => feature === 'inlineVideo',
    getCurrentPosition: box,
    getDefaultPosition: box,
    getMaxSize: sizeNow,
    getScreenSize: sizeNow,
    getSize: sizeNow,
    getExpandProperties: () => expansion,
    setExpandProperties: (given: object) => Object.assign(expansion, given),
    getResizeProperties: () => resizing,
    setResizeProperties: (given: unknown) => {
      resizing = given;
    },
    getOrientationProperties: () => orientation,
    setOrientationProperties: (given: object) => Object.assign(orientation, given),
    getCurrentAppOrientation: () => ({
      orientation: window.innerHeight >= window.innerWidth ? 'portrait' : 'landscape',
      locked: false,
    }),
    getLocation: () => -1,
    getAudioVolume: () => 0,
  });
  Reflect.set(window, 'MRAID_ENV', {
    version: '3.0',
    sdk: 'tearsheet',
    sdkVersion: '1',
    limitAdTracking: true,
    coppa: false,
  });
}
