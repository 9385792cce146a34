import { type BrowserOptions, type BrowserProcess, startBrowser } from './browserProcess.ts';

const STEPPED = {
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
export function startSteppedBrowser(options: BrowserOptions): Promise<BrowserProcess> {
  return startBrowser(options, STEPPED);
}
