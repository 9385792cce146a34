import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @param setting the flag or environment variable that names the executable. */
function installHint(setting: string): string {
  return `Install it (Debian: apt-get install chromium-headless-shell, elsewhere: npx playwright install --only-shell chromium), or name its executable with ${setting}.`;
}

// Debian's /usr/bin/chromium-headless-shell is a script that does not exec: killing it orphans the browser.
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/**
 * @returns the path of the browser: the given one, else Playwright's headless shell, else Debian's, else any other.
 * @throws Error if there is none, which says what to do.
 */
export function findChromium(given?: string, setting: '--chromium' | 'CHROMIUM_PATH' = 'CHROMIUM_PATH'): string {
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`There is no Chromium at ${given} (${setting}). ${installHint(setting)}`);
    return given;
  }
  const found = [playwrightShell(), ...PLACES].find((path) => path !== '' && existsSync(path));
  if (found === undefined) throw new Error(`No Chromium was found. ${installHint(setting)}`);
  return found;
}

function playwrightShell(): string {
  // Playwright is large. `tearsheet dev` uses it only here, and not at all if it gets a path.
  const { chromium }: typeof import('playwright') = createRequire(import.meta.url)('playwright');
  const full = chromium.executablePath();
  return full
    .replace(/chromium-(\d+)/, 'chromium_headless_shell-$1')
    .replace(/chrome-linux(64)?\/chrome$/, 'chrome-headless-shell-linux64/chrome-headless-shell');
}
