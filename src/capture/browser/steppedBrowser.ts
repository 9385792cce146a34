import { type BrowserOptions, type BrowserProcess, startBrowser } from './browserProcess.ts';

const STEPPED = {
  name: 'stepped',
  flags: [
    '--enable-begin-frame-control',
    '--run-all-compositor-stages-before-draw',
    '--disable-threaded-animation',
    '--disable-threaded-scrolling',
    '--disable-checker-imaging',
    '--disable-image-animation-resync',
  ],
  // The heap limit ends the renderer of a heap bomb. The seed makes Math.random repeat in every rendering.
  jsFlags: ['--max-old-space-size=512', '--random-seed=1'],
};

/** Starts a browser whose clock and frames are controlled over CDP. @throws BrowserStartError */
export async function startSteppedBrowser(options: BrowserOptions): Promise<BrowserProcess> {
  const browser = await startBrowser(options, STEPPED);
  try {
    await endIfPageCrashes(browser);
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A crashed page answers no call. A browser shows one creative only, so it ends with its page. */
async function endIfPageCrashes({ cdp, kill }: BrowserProcess): Promise<void> {
  cdp.root.on('Target.targetCrashed', () => {
    cdp.end('A page of the browser crashed');
    kill();
  });
  await cdp.root.send('Target.setDiscoverTargets', { discover: true });
}
