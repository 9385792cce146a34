/**
 * Scripts that the place of an ad gives to creatives, and libraries of ad platforms that a creative cannot start without. An app gives
 * `mraid.js`, so the creative never brings it. The libraries come from the platforms; a stand-in helps only if they do not load.
 */
import type { SubstituteScript } from '../../browser/interceptRequests.ts';
import { installAdform, installFlashtalking, installSizmek, installWeborama } from './adPlatforms.ts';
import { installEnabler } from './enabler.ts';
import { lifecycle, withNoOps } from './lifecycle.ts';
import { installMraid } from './mraid.ts';

type Install = (create: typeof lifecycle, noOps: typeof withNoOps) => void;

export const STAND_INS: readonly SubstituteScript[] = [
  {
    name: 'mraid.js',
    patterns: ['*mraid.js*'],
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

function platform({
  name,
  pattern,
  path,
  install,
}: {
  name: string;
  pattern: string;
  path: RegExp;
  install: Install;
}): SubstituteScript {
  const note = `The library ${name} did not load, so Tearsheet used a stand-in for it.`;
  return { name, patterns: [pattern], path, when: 'failed', code: codeOf(install), note };
}

/** @returns a script that runs the function with its helpers. The parameters have the names that the compiled code declares. */
function codeOf(install: Install): string {
  return `(${install})(${lifecycle}, ${withNoOps});`;
}
