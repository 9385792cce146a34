/**
 * The service on one machine as separate processes: two APIs behind a relay, a controller, PostgreSQL and an S3 server. The
 * controller is the leader. It also delivers, and runs captures as child processes. All of them listen on 127.0.0.1 only.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../src/commands/dev/embeddedPostgres.ts';
import type { NewOrganization } from '../../../src/store/organizations/organizations.ts';
import { kill } from '../../integration/dev/serviceFolders.ts';
import { eventually } from '../../support/eventually.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { ORGANIZATION } from '../load/client.ts';
import { ChaosDatabase } from './database.ts';
import { type PictureDisk, preparePictureDisk } from './pictureDisk.ts';
import { findProcesses } from './processes.ts';
import { type Relay, startRelay } from './relay.ts';
import { type ChaosS3, startS3 } from './s3.ts';
import { Supervised } from './supervised.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const CLOCK = fileURLToPath(new URL('./skewClock.ts', import.meta.url));
const APIS = 2;

export interface Installation {
  readonly root: string;
  readonly temporary: string;
  readonly clockFile: string;
  readonly database: ChaosDatabase;
  readonly s3: ChaosS3 | undefined;
  /** The bucket of a customer, to which sets are delivered. */
  readonly customerBucket: string;
  readonly pictures: PictureDisk;
  readonly apis: readonly Supervised[];
  /** The ports of the public APIs, in the same order. */
  readonly apiPorts: readonly number[];
  /** The relays in front of the public and the internal API. */
  readonly relays: readonly Relay[];
  readonly publicUrl: string;
  readonly organization: Pick<NewOrganization, 'api_key' | 'webhook_secret'>;
  /** The controller that leads, unless a fault has started another one. */
  leader: Supervised;
  /** Another controller, which is not started yet. */
  anotherController(name: string): Promise<Supervised>;
  /** Stops all processes in the order of an orderly shutdown. @throws Error if one does not end. */
  stop(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const root = mkdtempSync(path.join(tmpdir(), 'tearsheet-chaos-'));
  // PostgreSQL runs as another account where this one is root.
  chmodSync(root, 0o755);
  const temporary = path.join(root, 'tmp');
  mkdirSync(temporary);
  const clockFile = path.join(root, 'clock');
  writeFileSync(clockFile, '0');
  const [database, s3, pictures] = await Promise.all([
    ChaosDatabase.start(root),
    startS3(root),
    preparePictureDisk(path.join(root, 'pictures')),
  ]);
  await s3?.createBucket('customer');
  const ports = await Promise.all(Array.from({ length: 2 * APIS }, freePort));
  const [publicRelay, internalRelay] = await Promise.all([
    startRelay(ports.slice(0, APIS)),
    startRelay(ports.slice(APIS)),
  ]);
  const publicUrl = `http://127.0.0.1:${publicRelay.port}`;
  const env = {
    ...inherited(),
    DATABASE_URL: database.serviceUrl,
    SECRETS_KEYS: TEST_KEYS,
    ARTIFACTS_URL: pathToFileURL(pictures.folder).href,
    PUBLIC_URL: publicUrl,
    INTERNAL_URL: `http://127.0.0.1:${internalRelay.port}`,
    HOST: '127.0.0.1',
    EGRESS_ALLOW: '127.0.0.0/8',
    RATE_LIMIT_PER_SECOND: '10000',
    RATE_LIMIT_BURST: '10000',
    CAPTURE_PARALLELISM: '2',
    LOG_LEVEL: 'info',
    TMPDIR: temporary,
    CHAOS_CLOCK_FILE: clockFile,
  };
  await runCli(['migrate'], env);
  const organization = JSON.parse(await runCli(['org', 'create', ORGANIZATION, '--json'], env)) as NewOrganization;
  const process_ = async (name: string, role: string, own: Readonly<Record<string, string>>) =>
    new Supervised({
      name,
      command: [process.execPath, '--import', CLOCK, CLI, role],
      env: { ...env, METRICS_PORT: String(await freePort()), ...own },
      logFile: path.join(root, `${name}.log`),
    });
  const apis = await Promise.all(
    Array.from({ length: APIS }, (_, index) =>
      process_(`api-${index + 1}`, 'api', {
        PORT: String(ports[index]),
        INTERNAL_PORT: String(ports[APIS + index]),
      }),
    ),
  );
  const anotherController = (name: string) => process_(name, 'controller', {});
  const installation: Installation = {
    ...{ root, temporary, clockFile, database, s3, pictures, apis, publicUrl, organization, anotherController },
    apiPorts: ports.slice(0, APIS),
    customerBucket: 'customer',
    relays: [publicRelay, internalRelay],
    leader: await anotherController('controller-1'),
    stop: () => stopAll(installation),
  };
  killAllAtSignal(installation);
  for (const one of [...apis, installation.leader]) one.start();
  await untilItAnswers(publicUrl, organization.api_key);
  return installation;
}

/** A run that is ended by hand leaves no process. */
function killAllAtSignal({ root, database, pictures }: Installation): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      for (const { pid } of findProcesses(root)) kill(pid);
      if (database.pid !== undefined) kill(database.pid);
      void pictures.remove().finally(() => process.exit(1));
    });
}

async function untilItAnswers(url: string, apiKey: string): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${url}/api/v1/orgs/${ORGANIZATION}/campaigns`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`The API answered ${response.status}.`);
  });
}

async function stopAll({ leader, apis, s3, relays, database }: Installation): Promise<void> {
  await leader.stop();
  await Promise.all(apis.map((api) => api.stop()));
  await s3?.process.stop();
  await Promise.all(relays.map((relay) => relay.close()));
  await s3?.relay.close();
  await database.stop();
}

/** The environment of this process without the variables that would change the service. */
function inherited(): Readonly<Record<string, string | undefined>> {
  const { NODE_OPTIONS: _, DATABASE_URL: __, CAPTURE_PROFILE: ___, ...rest } = process.env;
  return rest;
}

async function runCli(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const options = { env: { ...env }, timeout: 120_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], options);
  return stdout;
}
