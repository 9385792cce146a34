import type { Lifecycle } from './lifecycle.ts';

/** Installs `mraid` (MRAID 3) for an inline ad that is fully visible. It runs in the page. */
export function installMraid(create: typeof import('./lifecycle.ts').lifecycle): void {
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
    'open close unload expand resize useCustomClose playVideo storePicture createCalendarEvent initVpaid isViewableByUser';
  Reflect.set(window, 'mraid', {
    ...Object.fromEntries(actions.split(' ').map((name) => [name, nothing])),
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
