import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserProcess, startBrowser } from '../../../../src/capture/browser/browserProcess.ts';
import { DocumentReplacedError } from '../../../../src/capture/browser/frame.ts';
import { Tab } from '../../../../src/capture/browser/tab.ts';
import { pagesIn } from '../../../../src/capture/page/pageOpener.ts';
import { required } from '../../../support/required.ts';
import { CHROMIUM, type Sites, startSites } from '../page/sites.ts';

let sites: Sites;
let browser: BrowserProcess;
let tab: Tab;

beforeAll(async () => {
  sites = await startSites();
  browser = await startBrowser({ chromiumPath: CHROMIUM }, pagesIn());
  tab = await Tab.open(browser);
});
afterAll(async () => {
  await browser.close();
  await sites.close();
});

async function show(path: string, html: string): Promise<void> {
  await tab.navigate(sites.put(path, html), 30_000);
  expect(await tab.reached('loaded', 30_000)).toBe(true);
}

test.each([
  ['of another origin', () => `<iframe src="${sites.other}/inside" style="margin:7px"></iframe>`],
  ['in a sandbox', () => '<iframe sandbox="allow-scripts" src="/inside"></iframe>'],
  ['whose document is an attribute', () => '<iframe srcdoc="<p>inside"></iframe>'],
])('code runs in a frame %s, and the frame is found from its element', async (name, html) => {
  sites.put('/inside', '<p>inside');
  await show(`/${name.replaceAll(' ', '-')}`, `<!doctype html>${html()}`);
  const frame = required(tab.frames()[1]);
  expect(await frame.evaluate(() => document.body.innerText)).toBe('inside');
  const owner = await frame.owner();
  expect(await owner.evaluate((element) => element.tagName)).toBe('IFRAME');
  expect(await tab.mainFrame.frameIdOf(owner)).toBe(frame.id);
});

test('a call that waits when another document arrives fails at once', async () => {
  await show('/first', '<p>first');
  const waiting = tab.mainFrame.evaluate(() => new Promise(() => undefined));
  waiting.catch((error: unknown) => void error);
  await show('/second', '<p>second');
  await expect(waiting).rejects.toThrow(DocumentReplacedError);
});

test('an exception has its message, and an object stays in the page', async () => {
  await show('/objects', '<p>words');
  const failing = tab.mainFrame.evaluate(() => {
    throw new RangeError('too far');
  });
  await expect(failing).rejects.toThrow(/^RangeError: too far$/);
  const words = await tab.mainFrame.evaluateHandle(() => document.querySelector('p'));
  expect(await words.evaluate((element, more) => element?.textContent + more, '!')).toBe('words!');
});

test('our code and the scripts of the page share the document, but no object', async () => {
  await tab.expose('callUs', () => undefined);
  await show(
    '/worlds',
    `<p>words</p><img name="getElementById"><iframe></iframe><script>
      window.secret = 1; document.body.mine = 1; JSON = Promise = document.querySelector = undefined;
      document.querySelector = () => null; addEventListener('click', () => document.body.setAttribute('data-clicks', '1'));
      frames[0].document.write('<p>written'); frames[0].document.close(); frames[0].secret = 1;
    </script>`,
  );
  const seen = await tab.mainFrame.evaluate(() => {
    Object.assign(document.body, { ours: 1 });
    document.body.click();
    const { dataset } = document.body;
    const types = [Reflect.get(window, 'secret'), Reflect.get(document.body, 'mine'), document.getElementById];
    return [...types.map((one) => typeof one), { ...dataset }];
  });
  expect(seen).toEqual(['undefined', 'undefined', 'function', { clicks: '1' }]);
  expect(
    await tab.mainFrame.evaluateInPage(
      '[secret, typeof callUs, typeof document.body.ours, typeof document.getElementById]',
    ),
  ).toEqual([1, 'undefined', 'undefined', 'object']);
  expect(await tab.mainFrame.evaluateInPage('missing.value')).toBeUndefined();
  const inner = required(tab.frames()[1]);
  expect(await inner.evaluate(() => document.body.innerText + typeof Reflect.get(window, 'secret'))).toBe(
    'writtenundefined',
  );
});
