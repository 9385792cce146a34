import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { type BrowserProcess, BrowserStartError } from '../../../../src/capture/browser/browserProcess.ts';
import { BrowserGoneError, CdpTimeoutError } from '../../../../src/capture/browser/cdp.ts';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { startSteppedBrowser } from '../../../../src/capture/browser/steppedBrowser.ts';
import { SteppedPage, type SteppedPageOptions } from '../../../../src/capture/browser/steppedPage.ts';
import { eventually } from '../../../support/eventually.ts';
import { SHORT_MOMENTS, testKillsWhileOpening } from './killsWhileOpening.ts';

const chromiumPath = findChromium(process.env['CHROMIUM_PATH']);
const proxyUrl = 'http://127.0.0.1:9';
const PAGE: SteppedPageOptions = {
  ...{ width: 300, height: 250, ratio: 1, framed: false, userAgent: 'Test', clock: 'stepped', startDate: 0 },
  ...{ networkBudget: { leftMs: 1_000, hung: new Map() }, substitutes: [], signal: new AbortController().signal },
};

/** The processes of a group; zombies have no command line. */
function processesOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groupOf(pid) === group && read(pid, 'cmdline') !== '');
}

function groupOf(pid: number): number {
  return Number(/\) \S (?:\d+) (\d+)/.exec(read(pid, 'stat'))?.[1]);
}

function read(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** The values of a flag in the command line of a browser. */
function flagsOf({ processGroup }: Pick<BrowserProcess, 'processGroup'>, name: string): string[] {
  const flags = read(processGroup, 'cmdline').split('\0');
  return flags.filter((flag) => flag.startsWith(`${name}=`)).map((flag) => flag.slice(name.length + 1));
}

describe.runIf(process.platform === 'linux')('a stepped browser', () => {
  it('a browser that is closed leaves no process and no profile', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const { processGroup } = browser;
    const [profile = ''] = flagsOf(browser, '--user-data-dir');
    expect(processesOf(processGroup).length).toBeGreaterThan(1);
    expect(existsSync(profile)).toBe(true);
    expect(browser.isAlive()).toBe(true);
    await browser.close();
    await eventually(() => expect(processesOf(processGroup)).toEqual([]));
    expect(existsSync(profile)).toBe(false);
  });

  it('a browser that does not start is reported as an error with the path of the executable', async () => {
    await expect(startSteppedBrowser({ chromiumPath: '/no/such/browser', proxyUrl })).rejects.toThrow(/did not start/);
    await expect(startSteppedBrowser({ chromiumPath: '/bin/false', proxyUrl })).rejects.toThrow(
      /\/bin\/false did not start/,
    );
  });

  it('a folder for the browser that cannot be created is named in the error', async () => {
    vi.stubEnv('TMPDIR', '/no/such/folder');
    try {
      const starting = startSteppedBrowser({ chromiumPath, proxyUrl });
      await expect(starting).rejects.toThrow(BrowserStartError);
      await expect(starting).rejects.toThrow(
        /did not start\. ENOENT: no such file or directory, mkdtemp '\/no\/such\/folder/,
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('a browser that is killed rejects every open call', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const { session } = await browser.openPage({}, async (page) => page);
    const open = session.send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true });
    const rejected = expect(open).rejects.toThrow(BrowserGoneError);
    for (const pid of processesOf(browser.processGroup)) process.kill(pid, 'SIGKILL');
    await rejected;
    expect(browser.isAlive()).toBe(false);
    await expect(session.send('Page.getFrameTree')).rejects.toThrow(BrowserGoneError);
    await expect(browser.openPage({}, async () => undefined)).rejects.toThrow(BrowserGoneError);
    await browser.close();
  });

  it('a browser ends when the process that started it is killed', async () => {
    const script = fileURLToPath(new URL('../../../support/startBrowser.ts', import.meta.url));
    const parent = fork(script, [chromiumPath], { execArgv: ['--experimental-strip-types', '--no-warnings'] });
    const [processGroup] = (await once(parent, 'message')) as [number];
    const [profile = ''] = flagsOf({ processGroup }, '--user-data-dir');
    const running = processesOf(processGroup).length;
    parent.kill('SIGKILL');
    expect(running).toBeGreaterThan(0);
    await eventually(() => expect(processesOf(processGroup)).toEqual([]));
    // The killed process could not remove the profile.
    rmSync(profile, { recursive: true, force: true });
  });

  it('a browser that is stopped is ended, and its open calls are rejected', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const { session } = await browser.openPage({}, async (page) => page);
    process.kill(-browser.processGroup, 'SIGSTOP');
    const late = expect(session.send('Page.getFrameTree', undefined, 50)).rejects.toThrow(CdpTimeoutError);
    const ended = expect(session.send('Page.getFrameTree')).rejects.toThrow(/^The page was closed /);
    await late;
    session.end('The page was closed');
    await ended;
    const opening = expect(browser.openPage({}, async () => undefined)).rejects.toThrow(BrowserGoneError);
    await browser.close();
    await opening;
    await eventually(() => expect(processesOf(browser.processGroup)).toEqual([]));
  });

  // These two wait for limits, so they run side by side.
  it.concurrent('a browser that stops before it opens a page is killed, and another one may try', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    process.kill(-browser.processGroup, 'SIGSTOP');
    await expect(SteppedPage.open(browser, PAGE)).rejects.toThrow(BrowserGoneError);
    expect(browser.isAlive()).toBe(false);
    await browser.close();
  }, 60_000);

  it.concurrent('a browser that stops while a page is open is killed when the page is closed, which throws nothing', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const page = await SteppedPage.open(browser, PAGE);
    process.kill(-browser.processGroup, 'SIGSTOP');
    await page.close();
    expect(browser.isAlive()).toBe(false);
    await browser.close();
  }, 60_000);

  it('the texts that a page logs are forgotten', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const { page } = await browser.openPage({}, async (opened) => opened);
    const kept = async () => [...(await page.consoleMessages()), ...(await page.pageErrors())].length;
    await page.evaluate(
      'for (let i = 0; i < 150; i++) console.log("x".repeat(1000)); setTimeout(() => { throw new Error("y") })',
    );
    await eventually(async () => expect(await kept()).toBe(0));
    await browser.close();
  });

  testKillsWhileOpening(SHORT_MOMENTS);

  it('Chromium takes the last list of disabled features, which contains those of Playwright', async () => {
    const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
    const [playwright, ours] = flagsOf(browser, '--disable-features').map((list) => list.split(','));
    expect(ours).toEqual(expect.arrayContaining(playwright ?? ['no list']));
    expect(flagsOf(browser, '--proxy-bypass-list')).toEqual(['<-loopback>']);
    await browser.close();
  });
});
