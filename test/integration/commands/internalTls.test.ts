/** The internal API over HTTPS, with a certificate that is renewed while the server runs. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from '../../../src/commands/service/httpServer.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestLog, expectLoggedErrors } from '../../support/testLog.ts';

const TLS = path.join(import.meta.dirname, '../../fixtures/tls');
const CLI = path.join(import.meta.dirname, '../../../src/cli.ts');
const JOB = '7b0c3a52-97a7-4f0c-9a38-2f6ea4a2a001';
const run = promisify(execFile);

let folder: string;
let server: HttpServer;
/** Renewals that the server has refused. */
let refused: number;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-tls-'));
  await copyFile(path.join(TLS, 'good.pem'), path.join(folder, 'tls.crt'));
  await copyFile(path.join(TLS, 'server.key'), path.join(folder, 'tls.key'));
  const files = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') };
  const nothingToDo = {
    attempt: 1,
    done: true,
    deadline_at: new Date(Date.now() + 3_600_000).toISOString(),
    pages: [],
  };
  refused = 0;
  const log = createTestLog(({ level }) => {
    if (level === 'error') refused += 1;
  });
  server = await startHttpServer((_req, res) => void res.end(JSON.stringify(nothingToDo)), {
    ...{ host: '127.0.0.1', port: 0, name: 'the internal API' },
    tls: { ...files, intervalMs: 20, log },
  });
});
afterEach(async () => {
  await server?.close(0);
  await rm(folder, { recursive: true, force: true });
});

/** @returns the issuer of the certificate that a new connection gets. */
function issuer(): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, rejectUnauthorized: false, agent: false };
    const sent = request(options, (answer) => {
      resolve(String((answer.socket as TLSSocket).getPeerCertificate().issuer.CN));
      answer.resume();
    });
    sent.on('error', reject).end();
  });
}

test('a capture that trusts the authority of the certificate works over HTTPS', async () => {
  const env = {
    ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    ...{ TEARSHEET_INTERNAL_URL: `https://localhost:${server.port}` },
    ...{ TEARSHEET_JOB: JOB, JOB_COMPLETION_INDEX: '0', TEARSHEET_POD: 'pod-1', TEARSHEET_TOKEN: 'token' },
    NODE_EXTRA_CA_CERTS: path.join(TLS, 'ca.pem'),
  };
  await run(process.execPath, [CLI, 'capture'], { env, timeout: 110_000 });
});

test('a client that does not trust the certificate or speaks plain HTTP gets no response', async () => {
  await expect(fetch(`https://localhost:${server.port}/`)).rejects.toThrow('fetch failed');
  await expect(fetch(`http://localhost:${server.port}/`)).rejects.toThrow('fetch failed');
});

test('new connections get a renewed certificate without a restart, but not an incomplete renewal', async () => {
  expectLoggedErrors(/loading the renewed certificate failed/);
  expect(await issuer()).toBe('Tearsheet test authority');
  for (const incomplete of ['', 'not a certificate']) {
    await writeFile(path.join(folder, 'tls.crt'), incomplete);
    const before = refused;
    await eventually(() => expect(refused).toBeGreaterThan(before));
    expect(await issuer()).toBe('Tearsheet test authority');
  }
  await copyFile(path.join(TLS, 'selfSigned.pem'), path.join(folder, 'tls.crt'));
  await eventually(async () => expect(await issuer()).toBe('localhost'));
});
