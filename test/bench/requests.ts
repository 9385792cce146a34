/**
 * Accepted requests a second: the compiled service compared with a bare server of express and pg, which inserts the same rows.
 * As a program (`node requests.ts DATABASE_URL ORGANIZATION_ID CAMPAIGN_ID`) it is that server, and prints its address.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import pg from 'pg';
import { Pool } from 'undici';
import { type Figure, inTurns } from './figures.ts';
import { apiSettings, CLI, type Program, runProgram, startProgram, withFolder } from './service.ts';

export interface RequestsOptions {
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly requests: number;
}

const CONNECTIONS = 16;
const CAMPAIGN = 'Bench';

interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function measureRequests({ databaseUrl, rounds, requests }: RequestsOptions): Promise<Figure> {
  return withFolder(async (artifacts) => {
    const settings = await apiSettings(artifacts);
    const env = { ...settings, DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' };
    await runProgram([CLI, 'migrate'], env);
    const made = JSON.parse(await runProgram([CLI, 'org', 'create', 'bench', '--json'], env)) as { api_key: string };
    const programs: Program[] = [];
    try {
      const ready = (line: string) => line.includes('"msg":"ready"');
      programs.push(await startProgram([CLI, 'api'], { env, ready }));
      const headers = { authorization: `Bearer ${made.api_key}`, 'content-type': 'application/json' };
      const ours = { origin: settings.PUBLIC_URL, path: '/api/v1/orgs/bench/ads', headers };
      await perSecond(ours, { requests: 50, connections: 1 });
      const server = await startProgram([
        fileURLToPath(import.meta.url),
        databaseUrl,
        ...(await campaign(databaseUrl)),
      ]);
      programs.push(server);
      const bare = { origin: server.line, path: '/ads', headers: { 'content-type': 'application/json' } };
      const sides = [ours, bare].map((target) => () => perSecond(target, { requests, connections: CONNECTIONS }));
      await inTurns(2, sides);
      const [values = [], bareValues = []] = await inTurns(rounds, sides);
      return {
        name: `create-ad accepted (201), ${CONNECTIONS} connections`,
        unit: 'requests/s',
        ours: values,
        other: { name: 'bare express + pg, the same rows', values: bareValues },
        aim: { at: 'least', value: 0.5 },
      };
    } finally {
      for (const program of programs) await program.stop();
    }
  });
}

/** Sends requests over that many kept connections. @returns answered 201 a second. @throws when one is answered otherwise. */
async function perSecond({ origin, path, headers }: Target, options: { requests: number; connections: number }) {
  const pool = new Pool(origin, { connections: options.connections });
  let left = options.requests;
  const worker = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ path, method: 'POST', headers, body: createAd() });
      const text = await body.text();
      if (statusCode !== 201) throw new Error(`${origin}${path} answered ${statusCode}: ${text}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: options.connections }, worker));
  const seconds = (performance.now() - start) / 1000;
  await pool.close();
  return options.requests / seconds;
}

function createAd(): string {
  const lookup_key = randomUUID();
  return JSON.stringify({
    campaign: { name: CAMPAIGN },
    ad: { name: `Ad ${lookup_key}`, lookup_key, media: { type: 'url', content: 'https://cdn.example/creative.html' } },
    subscribers: [{ webhook: { url: 'https://hooks.example/tearsheet' } }],
  });
}

/** @returns the ids of the organization and of its campaign. */
async function campaign(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const sql = 'select organization_id as organization, id from campaigns where name = $1';
    const [found] = (await client.query<{ organization: string; id: string }>(sql, [CAMPAIGN])).rows;
    if (found === undefined) throw new Error(`The campaign ${CAMPAIGN} was not created.`);
    return [found.organization, found.id];
  } finally {
    await client.end();
  }
}

interface Body {
  readonly ad: {
    readonly name: string;
    readonly lookup_key: string;
    readonly media: { type: string; content: string };
  };
  readonly subscribers: readonly { readonly webhook: { readonly url: string } }[];
}

/** Without validation, authentication or contract. It inserts the rows of an accepted create-ad: ad, subscriber, queue entry. */
function serveBare([url = '', organization = '', campaignId = '']: readonly string[]): void {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const app = express();
  app.use(express.json());
  app.post('/ads', async (request, response) => {
    const { ad, subscribers } = request.body as Body;
    const id = randomUUID();
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query(
        `insert into ads (id, organization_id, campaign_id, lookup_key, name, kind, content, source)
         values ($1, $2, $3, $4, $5, $6, $7, 'create_ad') returning id, name, status, created_at`,
        [id, organization, campaignId, ad.lookup_key, ad.name, ad.media.type, ad.media.content],
      );
      await client.query(
        'insert into subscribers (id, organization_id, ad_id, seq, webhook_url) values ($1, $2, $3, 0, $4)',
        [randomUUID(), organization, id, subscribers[0]?.webhook.url],
      );
      const entry = { organization_id: organization };
      await client.query(`insert into pgboss.job (name, data) values ('launch', $1)`, [entry]);
      await client.query('commit');
      response.status(201).json(rows[0]);
    } catch (error) {
      await client.query('rollback');
      response.status(500).json({ error: String(error) });
    } finally {
      client.release();
    }
  });
  const server = app.listen(0, '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}

if (import.meta.main) serveBare(process.argv.slice(2));
