/** Limits of those who write through a share link. */
import { createServer } from 'node:http';
import express from 'express';
import { expect, test } from 'vitest';
import { createOpenLimits } from '../../../../src/api/limits/openLimits.ts';
import { Failure } from '../../../../src/domain/failure.ts';
import { startListener } from '../../../support/listeners.ts';

test.each([
  ['passwords', 'takePassword', 10, 10],
  ['answers', 'takeToWrite', 100, 300],
] as const)('%s are limited for each network and for each link', async (_what, take, ofNetwork, ofLink) => {
  const limits = createOpenLimits();
  const app = express().set('trust proxy', true);
  app.post('/:link', (request, response) => {
    limits[take](request.params.link, request, response);
    response.end();
  });
  app.use(((error, _request, response, _next) => {
    response.status(error instanceof Failure ? error.status : 500).end();
  }) satisfies express.ErrorRequestHandler);
  const listener = await startListener(createServer(app));
  /** @returns how many requests are accepted. */
  const accepted = async (link: string, addressOf: (at: number) => string) => {
    for (let at = 0; ; at++) {
      const headers = { 'x-forwarded-for': addressOf(at) };
      const { status } = await fetch(`${listener.url}/${link}`, { method: 'POST', headers });
      if (status !== 200) return [at, status];
    }
  };
  const someone = (at: number) => `198.51.${at >> 8}.${at & 255}`;
  const first = await accepted('a', () => '192.0.2.1');
  const second = await accepted('b', someone);
  await listener.close();
  // Tokens come back while the test runs.
  expect([first[1], second[1]]).toEqual([429, 429]);
  expect(first[0]).toBeGreaterThanOrEqual(ofNetwork);
  expect(first[0]).toBeLessThan(ofNetwork + 10);
  expect(second[0]).toBeGreaterThanOrEqual(ofLink);
  expect(second[0]).toBeLessThan(ofLink + 30);
});
