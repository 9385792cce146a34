/** Accepted requests a second: the compiled service compared with a bare express server that inserts the same rows. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { TEST_KEYS } from '../support/testKeys.ts';
import { apiSettings } from './apiSettings.ts';
import type { Figure } from './figure.ts';
import { requestsPerSecond } from './load.ts';
import { CLI, type Program, runProgram, startProgram } from './program.ts';

export interface AcceptanceOptions {
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly requests: number;
}

const CONNECTIONS = 16;
const CAMPAIGN = 'Bench';
const BARE = fileURLToPath(new URL('bareServer.ts', import.meta.url));

interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function measureAcceptance({ databaseUrl, rounds, requests }: AcceptanceOptions): Promise<Figure> {
  const env = { DATABASE_URL: databaseUrl, SECRETS_KEYS: TEST_KEYS, LOG_LEVEL: 'info' };
  await runProgram([CLI, 'migrate'], env);
  const { api_key: key } = JSON.parse(await runProgram([CLI, 'org', 'create', 'bench', '--json'], env)) as {
    api_key: string;
  };
  const artifacts = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  const programs: Program[] = [];
  try {
    const ours = await startApi({ env, key, artifacts, programs });
    await requestsPerSecond({ ...ours, body, requests: 50, connections: 1 });
    const bare = await startBare(databaseUrl, programs);
    const send = (target: Target) => requestsPerSecond({ ...target, body, requests, connections: CONNECTIONS });
    for (let warming = 0; warming < 2; warming++) for (const target of [ours, bare]) await send(target);
    const values = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      values.ours.push(await send(ours));
      values.bare.push(await send(bare));
    }
    return {
      name: `create-ad accepted (201), ${CONNECTIONS} connections`,
      unit: 'requests/s',
      ours: values.ours,
      other: { name: 'bare express + pg, the same rows', values: values.bare },
      aim: { at: 'least', value: 0.7 },
    };
  } finally {
    for (const program of programs) await program.stop();
    await rm(artifacts, { recursive: true, force: true });
  }
}

function body(n: number): string {
  return JSON.stringify({
    campaign: { name: CAMPAIGN },
    ad: {
      name: `Ad ${n}`,
      lookup_key: randomUUID(),
      media: { type: 'url', content: 'https://cdn.example/creative.html' },
    },
    subscribers: [{ webhook: { url: 'https://hooks.example/tearsheet' } }],
  });
}

interface Start {
  readonly env: Readonly<Record<string, string>>;
  readonly key: string;
  readonly artifacts: string;
  readonly programs: Program[];
}

async function startApi({ env, key, artifacts, programs }: Start): Promise<Target> {
  const settings = await apiSettings(artifacts);
  const ready = (line: string) => line.includes('"msg":"ready"');
  programs.push(await startProgram([CLI, 'api'], { env: { ...env, ...settings }, ready }));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { origin: settings.PUBLIC_URL, path: '/api/v1/orgs/bench/ads', headers };
}

async function startBare(databaseUrl: string, programs: Program[]): Promise<Target> {
  const { organization, campaign } = await campaignOf(databaseUrl);
  const program = await startProgram([BARE, databaseUrl, organization, campaign]);
  programs.push(program);
  return { origin: program.line, path: '/ads', headers: { 'content-type': 'application/json' } };
}

async function campaignOf(databaseUrl: string): Promise<{ organization: string; campaign: string }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ organization: string; campaign: string }>(
      'select organization_id as organization, id as campaign from campaigns where name = $1',
      [CAMPAIGN],
    );
    if (rows[0] === undefined) throw new Error(`The campaign ${CAMPAIGN} was not created.`);
    return rows[0];
  } finally {
    await client.end();
  }
}
