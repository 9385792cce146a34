/** Sends the requests of ADR 34 through the proxy, and looks at what arrives at the sockets of servers. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../../../src/egress/guard.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/egress/proxy.ts';
import { CORPUS } from '../../support/proxyCorpus/corpus.ts';
import { type Observation, outcomeOf, play } from '../../support/proxyCorpus/play.ts';

const OUTCOMES = new URL('../../support/proxyCorpus/outcomes.txt', import.meta.url);

let proxy: EgressProxy;
let expected: Map<string, string>;
const observations = new Map<string, Promise<Observation>>();

beforeAll(async () => {
  proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.1/32', '::1/128'] }), idleMs: 10_000 });
  // Some connections wait for timeouts of the proxy, so all run at the same time.
  for (const one of CORPUS.flatMap(({ cases }) => cases))
    observations.set(one.name, play(one, Number(new URL(proxy.url).port)));
  const lines = (await readFile(OUTCOMES, 'utf8')).trimEnd().split('\n');
  expected = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(': ')), line.slice(line.lastIndexOf(': ') + 2)]),
  );
});
afterAll(() => proxy.close());

test('every request of the corpus has an expected outcome, and none is unclear or forbidden', () => {
  const names = CORPUS.flatMap(({ cases }) => cases.map(({ name }) => name));
  expect([...expected.keys()].toSorted()).toEqual([...new Set(names)].toSorted());
  expect(names).toHaveLength(new Set(names).size);
  for (const outcome of expected.values()) expect(outcome).toMatch(/^(clear|rejected)( \d+)*$/);
});

describe.each(CORPUS)('$group', ({ cases }) => {
  test.each(cases)('$name', async ({ name }) => {
    const observation = await observations.get(name);
    expect(observation && [outcomeOf(observation), observation.faults]).toEqual([expected.get(name), []]);
  });
});
