import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { callerAddress } from '../../../../src/api/server/caller.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';

let listener: Listener;
afterEach(() => listener.close());

/** @returns the address that the service sees if a client on loopback sends this header. */
async function seen(forwarded: string, trusted?: number | readonly string[]): Promise<string> {
  const app = express();
  app.set('trust proxy', trusted ?? false);
  app.get('/', (request, response) => void response.end(callerAddress(request)));
  listener = await listenHttp(app);
  const answer = await fetch(listener.url, { headers: { 'X-Forwarded-For': forwarded } });
  return answer.text();
}

test('without trusted proxies the address of the connection counts', async () => {
  expect(await seen('203.0.113.7')).toBe('127.0.0.1');
});

test('a header of a trusted proxy names the client', async () => {
  expect(await seen('203.0.113.7', ['127.0.0.0/8'])).toBe('203.0.113.7');
});

test('entries that the client itself wrote do not count', async () => {
  expect(await seen('198.51.100.1, 203.0.113.7, 10.0.0.9', ['127.0.0.0/8', '10.0.0.0/8'])).toBe('203.0.113.7');
});

test('a number trusts as many proxies', async () => {
  expect(await seen('198.51.100.1, 203.0.113.7', 1)).toBe('203.0.113.7');
});

test('a proxy outside of the ranges is not believed', async () => {
  expect(await seen('203.0.113.7', ['10.0.0.0/8'])).toBe('127.0.0.1');
});

test.each([
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8::7]:4711', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
])('the address is read from %s', async (forwarded, address) => {
  expect(await seen(forwarded, 1)).toBe(address);
});

test('text that is no address is not believed', async () => {
  expect(await seen("'; drop table audit_log", 1)).toBe('127.0.0.1');
});
