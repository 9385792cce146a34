import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { layer, pressed as pressedIn, reportingClick, testLanguages } from './consentMatrices.ts';
import { openerFor, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;

beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor();
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

testLanguages('test', () => ({ sites, opener }));

const pressed = (path: string, body: string) => pressedIn({ sites, opener }, path, body);

test('a dialog without a known rule is answered by a button that agrees', async () => {
  const body = layer(`<p>Our privacy settings.</p><a href="#" ${reportingClick('agree')}>Agree and close</a>`);
  expect(await pressed('/agree', body)).toBe('agree');
});

test('a dialog with two buttons gets one click', async () => {
  const buttons = `<button ${reportingClick('yes')}>Accept all</button><button ${reportingClick('no')}>Reject all</button>`;
  const text =
    '<p>We and our partners use cookies to personalise content and ads. You can accept or reject cookies.</p>';
  expect(await pressed('/choice', layer(text + buttons))).toMatch(/^(no|yes)$/);
});

test('a dialog with a known rule is answered by its own function, although the page replaced JSON', async () => {
  const body = `${layer('<p>We use cookies.</p>').replace('"layer"', '"CybotCookiebotDialog"')}<script>
    JSON.stringify = () => '';
    window.Cookiebot = { hasResponse: false, dialog: { visible: true }, hide() {},
      withdraw() { fetch('/pressed?withdraw'); CybotCookiebotDialog.remove(); this.declined = true; } };
  </script>`;
  expect(await pressed('/cookiebot', body)).toBe('withdraw');
});

test('a button with the same text outside of a dialog is not clicked', async () => {
  const body = `<!doctype html><p>We write about cookies and privacy.</p><button ${reportingClick('page')}>Accept the challenge</button>`;
  expect(await pressed('/story', body)).toBeUndefined();
});

test('a layer that does not mention consent is not clicked', async () => {
  expect(
    await pressed('/game', layer(`<p>Play the quiz</p><button ${reportingClick('quiz')}>Continue</button>`)),
  ).toBeUndefined();
});

test('a dialog that appears on scroll is answered', async () => {
  const shown = JSON.stringify(layer(`<p>We use cookies.</p><button ${reportingClick('late')}>Accept all</button>`));
  const body = `<!doctype html><p style="height:9000px">A long page.</p><script>
    addEventListener('scroll', () => document.body.insertAdjacentHTML('beforeend', ${shown}), { once: true });
  </script>`;
  expect(await pressed('/scrolled', body)).toBe('late');
});

test('a page that calls the function of the dialogs with another text is opened', async () => {
  const calls = "for (const text of ['no JSON', 'null']) tearsheetConsentMessage(text)";
  expect(await pressed('/calls', `<!doctype html><script>${calls}</script><p>A page.`)).toBeUndefined();
});
