import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { BrowserStartError } from '../../../../src/capture/browser/browserProcess.ts';
import { BrowserGoneError } from '../../../../src/capture/browser/cdp.ts';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { startSteppedBrowser } from '../../../../src/capture/browser/steppedBrowser.ts';
import { eventually } from '../../../support/eventually.ts';

const chromiumPath = findChromium(process.env['CHROMIUM_PATH']);
const proxyUrl = 'http://127.0.0.1:9';

/** Processes whose command line holds `text`; zombies have none. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

describe.runIf(process.platform === 'linux')('a stepped browser', () => {
  it('a browser that is closed leaves no process and no profile', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const profile = browser.profile;
    expect(processesWith(profile).length).toBeGreaterThan(0);
    expect(browser.isAlive()).toBe(true);
    await browser.close();
    await eventually(() => expect(processesWith(profile).length).toBe(0));
    expect(existsSync(profile)).toBe(false);
  });

  it('a browser that does not start is reported as an error with the path of the executable', async () => {
    await expect(startSteppedBrowser({ chromiumPath: '/no/such/browser', proxyUrl })).rejects.toThrow(/did not start/);
    await expect(startSteppedBrowser({ chromiumPath: '/bin/false', proxyUrl })).rejects.toThrow(
      /\/bin\/false did not start/,
    );
  });

  it('a profile folder that cannot be created is named in the error', async () => {
    vi.stubEnv('TMPDIR', '/no/such/folder');
    try {
      const starting = startSteppedBrowser({ chromiumPath, proxyUrl });
      await expect(starting).rejects.toThrow(BrowserStartError);
      await expect(starting).rejects.toThrow(/profile folder of a browser could not be created: .*ENOENT/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('a browser that is killed rejects every open call', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const { targetId } = await browser.cdp.root.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.cdp.root.send('Target.attachToTarget', { targetId, flatten: true });
    const open = browser.cdp
      .session(sessionId)
      .send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true });
    const rejected = expect(open).rejects.toThrow(BrowserGoneError);
    for (const pid of processesWith(browser.profile)) process.kill(pid, 'SIGKILL');
    await rejected;
    expect(browser.isAlive()).toBe(false);
    await expect(browser.cdp.root.send('Browser.getVersion')).rejects.toThrow(BrowserGoneError);
    await browser.close();
  });

  it('a browser ends when the process that started it is killed', async () => {
    const script = fileURLToPath(new URL('../../../support/startBrowser.ts', import.meta.url));
    const parent = fork(script, [chromiumPath], { execArgv: ['--experimental-strip-types', '--no-warnings'] });
    const [profile] = (await once(parent, 'message')) as [string];
    const running = processesWith(profile).length;
    parent.kill('SIGKILL');
    expect(running).toBeGreaterThan(0);
    await eventually(() => expect(processesWith(profile).length).toBe(0));
    // The killed process could not remove the profile.
    rmSync(profile, { recursive: true, force: true });
  });
});
