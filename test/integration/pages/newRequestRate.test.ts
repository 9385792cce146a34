/** The form of a new request takes tokens for its pictures, as the API does. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Failure } from '../../../src/domain/failure.ts';
import { type PagesServer, startPages } from './pagesServer.ts';
import { complete, type Fields, RequestForm } from './requestForm.ts';

let server: PagesServer;
let form: RequestForm;
const costs: number[] = [];
let most = Number.POSITIVE_INFINITY;
beforeAll(async () => {
  server = await startPages({
    requestLimits: {
      take: async (_keyId, cost) => {
        costs.push(cost);
        if (cost > most) throw tooMany();
      },
    },
  });
  form = await RequestForm.open(server);
});
beforeEach(() => {
  costs.length = 0;
  most = Number.POSITIVE_INFINITY;
});
afterAll(() => server.close());

const tooMany = () =>
  new Failure({ status: 429, code: 'rate_limited', errors: { rate_limit: ['Too many tokens.'] }, headers: {} });

/** Forty sites on two devices. */
async function eightyPictures(campaign: string): Promise<Fields> {
  const sites = Array.from({ length: 40 }, (_, i) => `site-${i}.example`).join('\r\n');
  const replaced: Readonly<Record<string, string>> = { sites, campaign };
  return complete(await form.newAd()).map(([name, value]) => [name, replaced[name] ?? value] as const);
}

it('a form that requests 80 pictures takes eight tokens more', async () => {
  const fields = await eightyPictures('Charged');
  costs.length = 0;
  expect((await form.post(fields)).status).toBe(303);
  expect(costs).toEqual([1, 8]);
});

it('a form without enough tokens makes no set, and keeps what was typed', async () => {
  const fields = await eightyPictures('Too many');
  const sets = await form.count('screenshot_sets');
  most = 7;
  const { status, text } = await form.post(fields);
  expect(status).toBeLessThan(500);
  expect(text).toContain('Too many tokens.');
  expect(text).toContain('site-39.example');
  expect(await form.count('screenshot_sets')).toBe(sets);
});
