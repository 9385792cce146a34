/**
 * Measures how long one request holds the event loop of the API: `node test/bench/loop/run.ts [PART OF A NAME…]`. Sends the hostile requests
 * one after the other, and then reads large objects. For each it prints the most processor time of one slice of the loop, and the greatest
 * delay. Writes nothing.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { load } from '../machine.ts';
import { median } from '../medians.ts';
import { HOSTILE_REQUESTS, type HostileRequest, LARGE_SET, readsOf } from './bodies.ts';
import type { LoopFigures } from './meter.ts';
import { CLI_SOURCE, type MeasuredService, startMeasured } from './service.ts';

const ROUNDS = 3;
const IDLE_MS = 3_000;
const ANSWER_MS = 60_000;

interface Target {
  readonly service: MeasuredService;
  readonly key: string;
}

interface Answer {
  readonly status: string;
  readonly text: string;
}

/** @returns the status, or the error of the connection. */
function send(
  { service, key }: Target,
  { path: place, method = 'POST', headers = {} }: HostileRequest,
  body?: string | Buffer,
) {
  const url = service.origin + (place.startsWith('/') ? place : `/api/v1/orgs/bench/${place}`);
  return new Promise<Answer>((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, text: '' });
    const sent = httpRequest(
      url,
      { method, headers: { authorization: key, accept: '*/*', ...headers }, signal: AbortSignal.timeout(ANSWER_MS) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => resolve({ status: String(response.statusCode), text })).once('error', fail);
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

async function measure(target: Target, request: HostileRequest): Promise<void> {
  const body = request.body?.();
  const figures: LoopFigures[] = [];
  let answer = { status: '', text: '' };
  for (let round = 0; round < ROUNDS; round++) {
    await target.service.reset();
    answer = await send(target, request, body);
    figures.push(await target.service.read());
  }
  show(request.name, figures, `${answer.status}, ${answer.text.length} bytes`);
}

function show(name: string, figures: readonly LoopFigures[], status: string): void {
  const most = (value: (one: LoopFigures) => number) => Math.max(...figures.map(value));
  const cells = [most((one) => one.sliceMs), median(figures.map((one) => one.sliceMs)), most((one) => one.delayMs)];
  const numbers = [...cells, most((one) => one.cpuMs), most((one) => one.rssMiB)];
  console.log(`${numbers.map((value) => value.toFixed(0).padStart(8)).join('')}  ${name}  (${status}; load ${load()})`);
}

async function main(names: readonly string[]): Promise<void> {
  const isWanted = ({ name }: HostileRequest) => names.length === 0 || names.some((part) => name.includes(part));
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'bench' });
  try {
    const key = await prepare(postgres.url);
    const service = await startMeasured({ databaseUrl: postgres.url, artifacts: path.join(folder, 'pictures') });
    try {
      await measureAll({ service, key }, isWanted);
    } finally {
      await service.stop();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns an API key. */
async function prepare(databaseUrl: string): Promise<string> {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [CLI_SOURCE, ...args], {
      env: { ...process.env, DATABASE_URL: databaseUrl, SECRETS_KEYS: TEST_KEYS },
      timeout: ANSWER_MS,
    });
  await run('migrate');
  const { stdout } = await run('org', 'create', 'bench', '--json');
  return (JSON.parse(stdout) as { api_key: string }).api_key;
}

async function measureAll(target: Target, isWanted: (request: HostileRequest) => boolean): Promise<void> {
  console.log(
    'Milliseconds: greatest slice, median of the greatest, greatest delay, all processor time. MiB of memory.',
  );
  const set = await send(
    target,
    { name: '', path: 'screenshot_requests', headers: { 'content-type': 'application/json' } },
    LARGE_SET(),
  );
  const { id } = JSON.parse(set.text) as { id: string };
  await target.service.reset();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  show('idle', [await target.service.read()], 'no request');
  for (const request of [...HOSTILE_REQUESTS, ...readsOf(id)].filter(isWanted)) await measure(target, request);
}

await main(process.argv.slice(2));
