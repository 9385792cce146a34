/** Time from an accepted request to its first picture, in an idle `tearsheet dev`, and the phases of that time. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CREATIVES } from '../fixtures/media/creatives.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import { askService, type BenchService } from './benchService.ts';
import type { Figure } from './figure.ts';
import { median } from './medians.ts';
import { CLI, startProgram } from './program.ts';

export interface FirstPicture {
  readonly figure: Figure;
  /** Seconds by phase of the capture program, the median of the rounds; phases overlap. */
  readonly phases: Readonly<Record<string, number>>;
}

const POLL_MS = 20;
const DEADLINE_MS = 60_000;
/** A pause, so that no work of the previous request is still ending. */
const REST_MS = 1_500;

export async function measureFirstPicture(rounds: number): Promise<FirstPicture> {
  const data = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(data, 0o755);
  const publishers = await startPublishers();
  const args = [CLI, 'dev', '--json', '--port', '0', '--data', data, '--allow', '127.0.0.0/8'];
  const program = await startProgram(args, { env: { LOG_LEVEL: 'warn' }, ready: (line) => line.includes('"api_key"') });
  try {
    const service = JSON.parse(program.line) as BenchService;
    await round(service, publishers);
    const seen: Round[] = [];
    for (let index = 0; index < rounds; index++) seen.push(await round(service, publishers));
    const ours = seen.map(({ seconds }) => seconds);
    const figure = { name: 'from 202 to the first picture, one image on one page, `tearsheet dev`', unit: 's', ours };
    return { figure, phases: medians(seen.map(({ phases }) => phases)) };
  } finally {
    await program.stop();
    await publishers.close();
    await rm(data, { recursive: true, force: true });
  }
}

interface Round {
  readonly seconds: number;
  readonly phases: Readonly<Record<string, number>>;
}

async function round(service: BenchService, publishers: Publishers): Promise<Round> {
  const before = await phaseSums(service);
  const set = await askService<{ id: string }>(service, '/screenshot_requests', requestOn(publishers));
  const start = performance.now();
  await pictured(service, set.id, start + DEADLINE_MS);
  const seconds = (performance.now() - start) / 1000;
  await sleep(REST_MS);
  const after = await phaseSums(service);
  const phases = Object.entries(after).map(([phase, sum]) => [phase, sum - (before[phase] ?? 0)] as const);
  return { seconds, phases: Object.fromEntries(phases) };
}

function requestOn(publishers: Publishers): object {
  const image = CREATIVES.find(({ mediaKind }) => mediaKind === 'jpeg');
  if (image === undefined) throw new Error('There is no image among the creatives.');
  return {
    campaign: { name: 'Bench' },
    screenshot_requests: [
      {
        ad: { name: image.name, media: { type: image.type, content: image.content(publishers.cdn) } },
        screenshots: [{ site: { url: publishers.url('news') }, device: { name: 'desktop' } }],
      },
    ],
  };
}

async function pictured(service: BenchService, id: string, endsAt: number): Promise<void> {
  while (performance.now() < endsAt) {
    const set = await askService<{ screenshots: { status: string }[] }>(service, `/screenshot_sets/${id}`);
    const status = set.screenshots[0]?.status;
    if (status === 'uploaded') return;
    if (status !== 'pending') throw new Error(`The picture has the status ${status}.`);
    await sleep(POLL_MS);
  }
  throw new Error(`There was no picture after ${DEADLINE_MS / 1000} s.`);
}

async function phaseSums({ metrics_url }: BenchService): Promise<Record<string, number>> {
  const response = await fetch(metrics_url, { signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  const sums = text.matchAll(/^tearsheet_capture_phase_seconds_sum\{phase="(\w+)"\} (\S+)$/gm);
  return Object.fromEntries([...sums].map(([, phase, sum]) => [phase, Number(sum)]));
}

function medians(rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(rounds.flatMap((phases) => Object.keys(phases)));
  return Object.fromEntries([...names].map((name) => [name, median(rounds.map((phases) => phases[name] ?? 0))]));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
