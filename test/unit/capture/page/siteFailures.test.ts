import { expect, test } from 'vitest';
import { CdpError } from '../../../../src/capture/browser/cdp.ts';
import { PageScriptError } from '../../../../src/capture/browser/frame.ts';
import {
  challengeOfPage,
  failureOfNavigation,
  failureOfResponse,
  pageFault,
  type SiteResponse,
} from '../../../../src/capture/page/navigation.ts';
import { DeadlineError } from '../../../../src/lib/deadline.ts';

const answer = (status: number, text = '', headers: SiteResponse['headers'] = {}): SiteResponse => ({
  status,
  text,
  headers,
});

test.each<[number, string | undefined]>([
  [200, undefined],
  [204, undefined],
  [301, undefined],
  [401, 'blocked'],
  [403, 'blocked'],
  [404, 'not_found'],
  [410, 'not_found'],
  [429, 'blocked'],
  [451, 'generic_error'],
  [500, 'generic_error'],
  [503, 'generic_error'],
])('a response with status %i becomes %s', (status, outcome) => {
  expect(failureOfResponse(answer(status))?.status).toBe(outcome);
});

test.each<[string, SiteResponse]>([
  ['Cloudflare', answer(503, '<title>Just a moment...</title>')],
  ['Cloudflare', answer(403, '', { 'cf-mitigated': 'challenge' })],
  ['DataDome', answer(403, '<script src="https://ct.captcha-delivery.com/c.js">')],
  ['Akamai', answer(403, 'Access Denied … https://errors.edgesuite.net/18.1')],
  ['PerimeterX', answer(403, '<div id="px-captcha">')],
  ['Imperva', answer(503, '<script src="/_Incapsula_Resource?SWJIYLWA=1">')],
  ['a captcha', answer(503, '<div class="g-recaptcha">')],
])('the reason names %s as the product that shows a challenge', (name, challenge) => {
  expect(failureOfResponse(challenge)).toMatchObject({ status: 'blocked', reason: expect.stringContaining(name) });
});

test('a challenge with status 200 is blocked, a page with a captcha in a form is not', () => {
  expect(challengeOfPage(answer(200, '<title>Just a moment...</title>'), 12)?.status).toBe('blocked');
  expect(challengeOfPage(answer(200, '<title>Just a moment...</title>'), 900)).toBeUndefined();
  expect(challengeOfPage(answer(200, '<div class="g-recaptcha">'), 12)).toBeUndefined();
});

test.each<[string, string]>([
  ['refused', 'generic_error'],
  ['not-found', 'not_found'],
  ['timeout', 'net_read_timeout'],
  ['unreachable', 'generic_error'],
  ['busy', 'generic_error'],
])('the proxy failure %s becomes %s with the reason of the proxy', (kind, status) => {
  const failure = failureOfResponse(answer(403, '10.0.0.1 is private', { 'x-tearsheet-egress': kind }));
  expect(failure).toMatchObject({ status, reason: expect.stringContaining('10.0.0.1 is private') });
});

test('the reason of a refused connection names the egress guard', () => {
  const { reason } = failureOfResponse(answer(403, 'x', { 'x-tearsheet-egress': 'refused' })) ?? {};
  expect(reason).toBe('refused by the egress guard: x');
});

test.each<[string, string]>([
  ['ERR_NAME_NOT_RESOLVED', 'not_found'],
  ['ERR_CONNECTION_TIMED_OUT', 'net_read_timeout'],
  ['ERR_TIMED_OUT', 'net_read_timeout'],
  ['ERR_CONNECTION_REFUSED', 'generic_error'],
  ['ERR_CERT_DATE_INVALID', 'generic_error'],
  ['ERR_TOO_MANY_REDIRECTS', 'generic_error'],
  ['ERR_ABORTED', 'generic_error'],
  ['ERR_NETWORK_CHANGED', 'generic_error'],
])('the browser error %s becomes %s', (code, status) => {
  const failure = failureOfNavigation(
    new Error(`page.goto: net::${code} at https://a.example/`),
    'https://a.example/',
    [],
  );
  expect(failure.status).toBe(status);
});

test('a change of the network is not blamed on the site', () => {
  const error = new Error('page.goto: net::ERR_NETWORK_CHANGED at https://a.example/');
  expect(failureOfNavigation(error, 'https://a.example/', []).reason).toMatch(
    /^The network of the capture changed .*again/,
  );
});

test('a failed tunnel gets the reason that the proxy has for the host', () => {
  const error = new Error('page.goto: net::ERR_TUNNEL_CONNECTION_FAILED at https://a.example/');
  const known = {
    host: 'a.example',
    port: 443,
    kind: 'not-found',
    reason: 'a.example could not be found (DNS)',
  } as const;
  expect(failureOfNavigation(error, 'https://a.example/', [known])).toEqual({
    status: 'not_found',
    reason: 'a.example could not be found (DNS)',
  });
  expect(failureOfNavigation(error, 'https://a.example/', []).reason).toMatch(/^refused by the egress guard: /);
});

test.each<[unknown, string]>([
  [new DeadlineError('took longer than 0.5754808779999985 s'), 'the page did not answer in time'],
  [
    new PageScriptError('TypeError: root.adoptedStyleSheets is not iterable'),
    'a script of the page disturbed the capture (TypeError: root.adoptedStyleSheets is not iterable)',
  ],
  [
    new CdpError('Runtime.evaluate: no context'),
    'the browser reported an error for the page (Runtime.evaluate: no context)',
  ],
  [new TypeError('x is not a function'), 'an unexpected error occurred (x is not a function)'],
  [new Error('The frame was removed.'), 'The frame was removed'],
])('a client reads a sentence about the error %s of a page', (error, text) => {
  expect(pageFault(error)).toBe(text);
});
