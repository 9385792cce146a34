import { startSteppedBrowser } from '../../src/capture/browser/steppedBrowser.ts';

// A process that starts a browser, tells its process group and waits to be killed.
const chromiumPath = process.argv[2] ?? '';
const browser = await startSteppedBrowser({ chromiumPath, proxyUrl: 'http://127.0.0.1:9' });
process.send?.(browser.processGroup);
