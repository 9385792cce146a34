/** Playwright's own connection to itself, which is no part of its public face: an upgrade that changes it fails here. */
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { guardPlaywrightDispatch } from '../../../../src/capture/page/pageOpener.ts';
import { required } from '../../../support/required.ts';
import { CHROMIUM } from './sites.ts';

interface Connection {
  dispatch(message: object): void;
}

let browser: Browser;
let connection: Connection;
const reported: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM });
  connection = required(Reflect.get(browser, '_connection'));
  guardPlaywrightDispatch(browser, ({ message }) => reported.push(message));
});
beforeEach(() => {
  reported.length = 0;
});
afterAll(() => browser?.close());

test('all messages that Playwright sends itself pass through the guarded method', async () => {
  const dispatch = vi.spyOn(connection, 'dispatch');
  const context = await browser.newContext();
  expect(dispatch.mock.calls.length).toBeGreaterThan(0);
  await context.close();
  dispatch.mockRestore();
});

test('a message about a closed object is reported and does not end the process', () => {
  const guid = String(Reflect.get(browser, '_guid'));
  connection.dispatch({ guid: 'gone', method: '__create__', params: { type: 'Page', guid: 'page', initializer: {} } });
  connection.dispatch({ guid: 'gone', method: 'close', params: {} });
  connection.dispatch({ guid, method: 'context', params: { context: { guid: 'gone' } } });
  expect(reported).toEqual([
    expect.stringContaining('Cannot find parent object'),
    expect.stringContaining('Cannot find object to'),
    expect.stringContaining('was not bound'),
  ]);
});

test('any other error of Playwright is thrown', () => {
  const guid = String(Reflect.get(browser, '_guid'));
  const unknownType = { type: 'Nothing', guid: 'thing', initializer: {} };
  expect(() => connection.dispatch({ guid, method: '__create__', params: unknownType })).toThrow();
  expect(reported).toEqual([]);
});

test('the guard reports a Playwright without the expected connection', () => {
  guardPlaywrightDispatch(Object.create(null), ({ message }) => reported.push(message));
  expect(reported).toEqual(['Playwright has no connection that the guard could wrap.']);
});
