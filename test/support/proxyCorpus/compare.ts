/**
 * Sends the corpus through our proxy and others that run on this machine. Prints what each does as Markdown.
 *
 *     node test/support/proxyCorpus/compare.ts squid=3128 tinyproxy=8888 proxy-chain=8000 [--cases] [--write]
 * The others must allow 127.0.0.1 and refuse 127.0.0.2. `--write` stores the outcomes that the test expects of our proxy.
 */
import { writeFile } from 'node:fs/promises';
import { createGuard } from '../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../src/egress/proxy.ts';
import { CORPUS } from './corpus.ts';
import { type Observation, outcomeOf, play } from './play.ts';
import type { CorpusCase } from './types.ts';

const AT_ONCE = 96;
const VERDICTS = ['refused', 'clear', 'cut', 'unclear', 'forbidden'] as const;

const cases = CORPUS.flatMap((group) => group.cases);

async function playAll(cases: readonly CorpusCase[], port: number): Promise<Observation[]> {
  const results: Observation[] = [];
  const waiting = [...cases.entries()];
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      results[next[0]] = await play(next[1], port, { quietMs: 3_000 });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

function short({ verdict, statuses, faults }: Observation): string {
  return `${verdict} ${statuses.join(' ')}${faults.length > 0 ? `: ${faults[0]?.slice(0, 60)}` : ''}`;
}

async function writeOutcomes(list: readonly Observation[]): Promise<void> {
  const lines = list.map((observation, at) => `${cases[at]?.name}: ${outcomeOf(observation)}\n`);
  await writeFile(new URL('./outcomes.txt', import.meta.url), lines.join(''));
}

const proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.1/32', '::1/128'] }), idleMs: 2_000 });
const others = process.argv.slice(2).filter((text) => text.includes('='));
const proxies = new Map([
  ['tearsheet', Number(new URL(proxy.url).port)],
  ...others.map((text) => [text.split('=')[0], Number(text.split('=')[1])] as [string, number]),
]);
const results = new Map<string, Observation[]>();
for (const [name, port] of proxies) results.set(name, await playAll(cases, port));
console.log(`| ${cases.length} requests | ${VERDICTS.join(' | ')} |\n|---|${VERDICTS.map(() => '---|').join('')}`);
for (const [name, list] of results)
  console.log(
    `| ${name} | ${VERDICTS.map((verdict) => list.filter((each) => each.verdict === verdict).length).join(' | ')} |`,
  );
if (process.argv.includes('--cases')) {
  console.log(`\n| request | ${[...proxies.keys()].join(' | ')} |\n|---|${[...proxies].map(() => '---|').join('')}`);
  for (const [at, { name }] of cases.entries())
    console.log(`| ${name} | ${[...results.values()].map((list) => short(list[at] as Observation)).join(' | ')} |`);
}
if (process.argv.includes('--write')) await writeOutcomes(results.get('tearsheet') ?? []);
await proxy.close();
