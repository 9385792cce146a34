/**
 * A real S3 server for tests. If TEST_S3_ENDPOINT is set, it is that server, with TEST_S3_ACCESS_KEY_ID and
 * TEST_S3_SECRET_ACCESS_KEY. Else Go builds it from the pinned `test/s3/go.mod`. Without Go it runs in this process.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { freePort } from '../../src/commands/dev/ports.ts';

export interface S3Server {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** False for the one in this process: tests of refused signatures skip there. */
  judgesSignatures: boolean;
  /** A new bucket with a name of its own. */
  createBucket(): Promise<string>;
  close(): Promise<void>;
}

interface Running {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
}

const REGION = 'us-east-1';
const ACCESS_KEY_ID = 'tearsheet-test';
const PACKAGE = 'github.com/versity/versitygw';
const PINS = path.join(import.meta.dirname, '../s3');
const run = promisify(execFile);

export async function startS3Server(): Promise<S3Server> {
  const real = (await given()) ?? (await builtByGo());
  const running = real ?? (await inProcess());
  const { accessKeyId, secretAccessKey } = running;
  const client = new S3Client({
    endpoint: running.endpoint,
    region: REGION,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  return {
    ...running,
    region: REGION,
    judgesSignatures: real !== undefined,
    createBucket: async () => {
      const bucket = `tearsheet-${randomBytes(6).toString('hex')}`;
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return bucket;
    },
    close: async () => {
      client.destroy();
      await running.close();
    },
  };
}

async function given(): Promise<Running | undefined> {
  const endpoint = process.env['TEST_S3_ENDPOINT'];
  if (endpoint === undefined || endpoint === '') return undefined;
  return {
    endpoint,
    accessKeyId: process.env['TEST_S3_ACCESS_KEY_ID'] ?? ACCESS_KEY_ID,
    secretAccessKey: process.env['TEST_S3_SECRET_ACCESS_KEY'] ?? ACCESS_KEY_ID,
    close: () => Promise.resolve(),
  };
}

async function builtByGo(): Promise<Running | undefined> {
  const binary = await buildS3Server();
  if (binary === undefined) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-s3-'));
  await Promise.all(['data', 'meta'].map((name) => mkdir(path.join(folder, name))));
  const secretAccessKey = randomBytes(16).toString('hex');
  const port = await freePort();
  const [data, meta] = [path.join(folder, 'data'), path.join(folder, 'meta')];
  const server = spawn(binary, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', meta, data], {
    env: { ROOT_ACCESS_KEY: ACCESS_KEY_ID, ROOT_SECRET_KEY: secretAccessKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await untilItListens(port, { alive: () => server.exitCode === null, said: () => said });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: ACCESS_KEY_ID,
    secretAccessKey,
    close: async () => {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It speaks the protocol (put, get, multipart, presigned PUT) and ignores some conditions, which no test here relies on. */
async function inProcess(): Promise<Running> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tearsheet-s3-'));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Builds the program `$1` from the package `$2`, unless another process has built it by now. */
const BUILD = 'test -e "$1" || { go build -o "$1.$$" "$2" && mv "$1.$$" "$1"; }';

/**
 * Built once a version, outside of the checkout. Each build takes minutes of all cores, so other processes wait for the first one.
 * @returns the program; undefined without Go.
 */
export async function buildS3Server(): Promise<string | undefined> {
  const cache = path.join(homedir(), '.cache', 'tearsheet');
  const binary = path.join(cache, `versitygw-${await pinnedVersion()}`);
  if (existsSync(binary)) return binary;
  await mkdir(cache, { recursive: true });
  const build = ['sh', '-ec', BUILD, 'sh', binary, `${PACKAGE}/cmd/versitygw`] as const;
  // macOS has no such program. Two builds at a time only take longer.
  const [program, ...args] = process.platform === 'linux' ? (['flock', `${binary}.lock`, ...build] as const) : build;
  try {
    await run(program, args, { cwd: PINS, timeout: 15 * 60_000 });
  } catch (error) {
    console.warn(`No S3 server could be built with Go (${reason(error)}): one in this process stands in.`);
    return undefined;
  }
  return binary;
}

const reason = (error: unknown) => (error instanceof Error ? error.message.split('\n')[0] : String(error));

async function pinnedVersion(): Promise<string> {
  const pins = await readFile(path.join(PINS, 'go.mod'), 'utf8');
  const version = /versity\/versitygw (v\S+)/.exec(pins)?.[1];
  if (version === undefined) throw new Error(`${PACKAGE} is not pinned in test/s3/go.mod.`);
  return version;
}

async function untilItListens(port: number, server: { alive(): boolean; said(): string }): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; ) {
    if (!server.alive()) break;
    if (await listens(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The S3 server for tests did not start: ${server.said()}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
