import { afterAll, beforeAll } from 'vitest';
import type { PagesOptions } from '../../../src/pages/pages.ts';
import { type PagesServer, startPages } from './pagesServer.ts';

/**
 * Starts the pages before the tests of a file, and closes them after them.
 * @returns the server, whose fields are set as soon as the tests run.
 */
export function preparePages(more: Partial<PagesOptions> = {}): PagesServer {
  const server = {} as PagesServer;
  beforeAll(async () => {
    Object.assign(server, await startPages(more));
  });
  afterAll(() => server.close());
  return server;
}
