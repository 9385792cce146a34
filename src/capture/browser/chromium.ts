import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** Said to people who have no browser; the one sentence that helps. */
const NO_CHROMIUM =
  'No Chromium was found: install one (Debian: apt-get install chromium-headless-shell; elsewhere: npx playwright install --only-shell chromium) or set CHROMIUM_PATH to its executable.';

// Debian's /usr/bin/chromium-headless-shell is a script that does not exec: killing it orphans the browser.
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/**
 * The browser to run: the given one, else Playwright's own headless shell where it was downloaded, else Debian's, else any.
 * @throws Error with {@link NO_CHROMIUM} when there is none.
 */
export function findChromium(given?: string): string {
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`CHROMIUM_PATH is ${given}, where there is no file. ${NO_CHROMIUM}`);
    return given;
  }
  const found = [playwrightShell(), ...PLACES].find((path) => path !== '' && existsSync(path));
  if (found === undefined) throw new Error(NO_CHROMIUM);
  return found;
}

function playwrightShell(): string {
  const full = chromium.executablePath();
  return full
    .replace(/chromium-(\d+)/, 'chromium_headless_shell-$1')
    .replace(/chrome-linux(64)?\/chrome$/, 'chrome-headless-shell-linux64/chrome-headless-shell');
}
