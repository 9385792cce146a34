/** Installs `Enabler` and `studio` (Google Studio) for an ad that is visible and never clicked. It runs in the page. */
export function installEnabler(
  create: typeof import('./lifecycle.ts').lifecycle,
  withNoOps: typeof import('./lifecycle.ts').withNoOps,
): void {
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
  const orAnything = (known: object) =>
    new Proxy(known, { get: (target, name) => (name in target ? Reflect.get(target, name) : anything()) });
  const studio = orAnything({
    Enabler,
    events: orAnything({ StudioEvent: constants(StudioEvent) }),
    module: orAnything({ ModuleId: constants({}) }),
    common: orAnything({ Environment: constants({ hasType: () => false, Type: constants({}) }) }),
    video: orAnything({ Reporter: withNoOps({}) }),
  });
  Object.assign(window, { Enabler, studio });
}
