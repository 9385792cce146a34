/**
 * The service on one machine as separate processes: two APIs behind relays, a controller with its captures, PostgreSQL and
 * an S3 server. Each is started again when it ends, as Kubernetes or systemd does. All listen on 127.0.0.1 only.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { freePort } from '../../src/commands/dev/ports.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { parentOf } from '../integration/capture/page/browserProcesses.ts';
import { kill, readProc } from '../integration/dev/serviceFolders.ts';
import { eventually } from '../support/eventually.ts';
import { startRelay } from '../support/relay.ts';
import { buildS3Server } from '../support/s3Server.ts';
import { TEST_KEYS } from '../support/testKeys.ts';
import { ORGANIZATION } from './client.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const RESTART_MS = 300;
const STOP_MS = 60_000;
const S3_KEYS = { accessKeyId: 'tearsheet-chaos', secretAccessKey: 'tearsheet-chaos-secret' };
export const BUCKET = 'customer';

interface ProcessOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
}

/** A process that is started again whenever it ends. */
export class Supervised {
  readonly name: string;
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #ended = Promise.resolve();
  #isStopping = false;
  /** Whether it has logged that it is ready since its last start. */
  isReady = false;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#start();
  }

  /** Ends the process. @returns whether there was one. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    this.isReady = false;
    return this.#child?.exitCode === null && this.#child.signalCode === null && this.#child.kill(signal);
  }

  /** @throws Error if it does not end within a minute after SIGTERM. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.signal('SIGTERM');
    const ended = await Promise.race([this.#ended.then(() => true), sleep(STOP_MS).then(() => false)]);
    if (ended) return;
    this.signal('SIGKILL');
    throw new Error(`${this.name} did not end within ${STOP_MS / 1000} s after SIGTERM.`);
  }

  #start(): void {
    const { command, env, logFile } = this.#options;
    const [program = '', ...args] = command;
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(logFile, { flags: 'a' });
    child.stderr.pipe(log, { end: false });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"msg":"ready"')) this.isReady = true;
      log.write(`${line}\n`);
    });
    this.#child = child;
    this.isReady = false;
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => log.end(() => resolve()));
    });
    void this.#ended.then(() => this.#restart());
  }

  async #restart(): Promise<void> {
    await sleep(RESTART_MS);
    if (!this.#isStopping) this.#start();
  }
}

/** PostgreSQL, which is started again whenever it ends. */
export class Database {
  readonly #options: { readonly folder: string; readonly password: string; readonly port: number };
  #server: EmbeddedPostgres | undefined;
  #isStopping = false;
  #isStarting = false;

  constructor(folder: string, port: number) {
    this.#options = { folder, password: 'chaos', port };
  }

  get url(): string {
    const { password, port } = this.#options;
    return `postgres://postgres:${password}@127.0.0.1:${port}/tearsheet`;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** A server that is killed while it starts is started again by the same call. */
  async start(): Promise<void> {
    if (this.#isStarting || this.#isStopping) return;
    this.#isStarting = true;
    this.#server = undefined;
    this.#server = await eventually(() =>
      startEmbeddedPostgres({ ...this.#options, onExit: () => void this.start() }),
    ).finally(() => {
      this.#isStarting = false;
    });
  }

  /** @throws the error of the query or of the connection. */
  async query<T extends pg.QueryResultRow>(sql: string): Promise<T[]> {
    const options = { application_name: 'chaos', connectionTimeoutMillis: 5_000, query_timeout: 20_000 };
    const client = new pg.Client({ connectionString: this.url, ...options });
    // The server may be killed at any moment; the query below then fails.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Repeats the query until the server answers. */
  rows<T extends pg.QueryResultRow>(sql: string): Promise<T[]> {
    return eventually(() => this.query<T>(sql));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#server?.stop();
  }
}

export interface Service {
  readonly publicUrl: string;
  readonly organization: { readonly api_key: string; readonly webhook_secret: string };
  readonly database: Database;
  /** Undefined without Go, which builds it. */
  readonly s3: { readonly process: Supervised; readonly connector: object } | undefined;
  readonly apis: readonly Supervised[];
  readonly controller: Supervised;
  /** The folder of the artifact store. */
  readonly pictures: string;
  processes(): FoundProcess[];
  /** Stops the APIs and the controller. @returns what they left: processes and temporary files. */
  stop(): Promise<string[]>;
  /** Ends the rest. @param everything also removes the logs. */
  remove(everything: boolean): Promise<void>;
}

export async function startService(log: (line: string) => void): Promise<Service> {
  const root = mkdtempSync(path.join(tmpdir(), 'tearsheet-chaos-'));
  // PostgreSQL runs as another account where this one is root.
  chmodSync(root, 0o755);
  const [pictures, temporary] = [path.join(root, 'pictures'), path.join(root, 'tmp')];
  for (const folder of [pictures, temporary]) mkdirSync(folder);
  process.once('exit', () => {
    for (const { pid } of findProcesses(root)) kill(pid);
  });
  log(`starting PostgreSQL, an S3 server, two APIs and a controller in ${root} …`);
  const database = new Database(path.join(root, 'postgres'), await freePort());
  await database.start();
  const s3 = await startS3(root);
  const [port1, port2, internal1, internal2] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const relays = [await startRelay([port1, port2]), await startRelay([internal1, internal2])];
  const publicUrl = `http://127.0.0.1:${relays[0]?.port}`;
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    SECRETS_KEYS: TEST_KEYS,
    ...{ DATABASE_URL: database.url, ARTIFACTS_URL: pathToFileURL(pictures).href, TMPDIR: temporary },
    ...{ PUBLIC_URL: publicUrl, INTERNAL_URL: `http://127.0.0.1:${relays[1]?.port}`, HOST: '127.0.0.1' },
    ...{ EGRESS_ALLOW: '127.0.0.0/8', RATE_LIMIT_PER_SECOND: '10000' },
    CAPTURE_PARALLELISM: '2',
  };
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [CLI, ...args], { env, timeout: 120_000 }).then(({ stdout }) => stdout);
  await run('migrate');
  const organization = JSON.parse(await run('org', 'create', ORGANIZATION, '--json')) as Service['organization'];
  const start = async (name: string, role: string, ports: Readonly<Record<string, string>> = {}) =>
    new Supervised({
      ...{ name, command: [process.execPath, CLI, role], logFile: path.join(root, `${name}.log`) },
      env: { ...env, METRICS_PORT: String(await freePort()), ...ports },
    });
  const apis = [
    await start('api-1', 'api', { PORT: String(port1), INTERNAL_PORT: String(internal1) }),
    await start('api-2', 'api', { PORT: String(port2), INTERNAL_PORT: String(internal2) }),
  ];
  const controller = await start('controller', 'controller');
  const processes = () => findProcesses(root);
  return {
    ...{ publicUrl, organization, database, s3, apis, controller, pictures, processes },
    stop: async () => {
      await Promise.all([controller, ...apis].map((one) => one.stop()));
      await Promise.all(relays.map((relay) => relay.close()));
      const left = await processesLeft(root);
      const files = readdirSync(temporary).filter((name) => name.startsWith('tearsheet'));
      return [...left.map(({ command }) => `process ${command.slice(0, 200)}`), ...files.map((name) => `file ${name}`)];
    },
    remove: async (everything) => {
      await s3?.process.stop();
      await database.stop();
      const data = path.join(root, 'postgres');
      if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
      for (const name of readdirSync(root))
        if (everything || !name.endsWith('.log')) rmSync(path.join(root, name), { recursive: true, force: true });
      if (everything) rmSync(root, { recursive: true, force: true });
    },
  };
}

async function startS3(root: string): Promise<Service['s3']> {
  const binary = await buildS3Server();
  if (binary === undefined) return undefined;
  const [data, meta] = [path.join(root, 's3-data'), path.join(root, 's3-meta')];
  for (const folder of [data, meta]) mkdirSync(folder);
  const port = await freePort();
  const server = new Supervised({
    name: 's3',
    command: [binary, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', meta, data],
    env: { ROOT_ACCESS_KEY: S3_KEYS.accessKeyId, ROOT_SECRET_KEY: S3_KEYS.secretAccessKey },
    logFile: path.join(root, 's3.log'),
  });
  const [endpoint, region] = [`http://127.0.0.1:${port}`, 'us-east-1'];
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: S3_KEYS });
  await eventually(() => client.send(new CreateBucketCommand({ Bucket: BUCKET })));
  client.destroy();
  const keys = { access_key_id: S3_KEYS.accessKeyId, secret_access_key: S3_KEYS.secretAccessKey };
  return { process: server, connector: { region, endpoint, force_path_style: true, ...keys } };
}

interface FoundProcess {
  readonly pid: number;
  readonly kind: 'capture' | 'browser' | 'renderer' | 'server' | 'other';
  readonly command: string;
}

/** The processes whose command line or environment names the folder, and their children. */
function findProcesses(root: string): FoundProcess[] {
  const ours = new Set<number>();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids
    .map(Number)
    .toSorted((one, two) => one - two)
    .flatMap((pid) => {
      const command = readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
      // A renderer overwrites its environment, so its parent tells whose it is.
      const isOurs = command.includes(root) || readProc(pid, 'environ').includes(root) || ours.has(parentOf(pid));
      if (command === '' || !isOurs) return [];
      ours.add(pid);
      return [{ pid, command, kind: kindOf(command) }];
    });
}

function kindOf(command: string): FoundProcess['kind'] {
  if (/cli\.ts capture$/.test(command)) return 'capture';
  if (/bin\/postgres |^postgres:|versitygw/.test(command)) return 'server';
  if (/--type=renderer/.test(command)) return 'renderer';
  // Only a browser's main process has no --type.
  return /--remote-debugging-pipe/.test(command) && !/--type=/.test(command) ? 'browser' : 'other';
}

/** Processes that end by themselves have half a minute to do so. */
async function processesLeft(root: string): Promise<FoundProcess[]> {
  for (const end = performance.now() + 30_000; ; await sleep(500)) {
    const left = findProcesses(root).filter(({ kind }) => kind !== 'server');
    if (left.length === 0 || performance.now() > end) return left;
  }
}
