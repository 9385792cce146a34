/** Tearsheet as an operator installs it: by Helm, into a namespace that enforces Pod Security "restricted". */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ScreenshotJobStatus } from '../../../src/contract/screenshotJob.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { helm, kubectl, type RunOptions, type RunResult, tryRun } from './commands.ts';
import { host, image, s3 } from './environment.ts';
import type { ScreenshotSet } from './externalServers.ts';
import { type Kind, ObjectReader } from './objectReader.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const CHART = path.join(ROOT, 'charts/tearsheet');
/** The chart of the version before this one; scripts/previousVersion.sh writes it. */
export const PREVIOUS_CHART = path.join(ROOT, '.cache/previous/charts/tearsheet');
const TRIAL = path.join(ROOT, 'examples/values-trial.yaml');
const RELEASE = 't';
const INSTALL_MS = 8 * 60_000;

export interface Organization {
  readonly organization: string;
  readonly api_key: string;
  readonly webhook_secret: string;
}

export interface ScreenshotJobResource {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
  readonly spec: { readonly set?: string; readonly job: string };
  readonly status?: ScreenshotJobStatus;
}

/** Selects the Job and the pods of a ScreenshotJob. */
export const selectorOf = ({ metadata }: Pick<ScreenshotJobResource, 'metadata'>): string =>
  `tearsheet.dev/screenshotjob=${metadata.name}`;

export type Values = Readonly<Record<string, unknown>>;

/** Helm's error when another test file created the CRD at the same moment, on a new cluster. */
const DEFINITION_WAS_MADE = /screenshotjobs\.tearsheet\.dev".* exists/;

const ANSWERS_IN_A_ROW = 10;

export class HelmInstallation {
  readonly namespace: TestNamespace;
  readonly bucket: string;
  readonly #values: Values;
  readonly #folder: string;
  readonly #storage: S3Client;
  readonly #reader: ObjectReader;
  #url: string | undefined;
  #organization: Organization | undefined;

  private constructor(parts: {
    namespace: TestNamespace;
    bucket: string;
    values: Values;
    folder: string;
    storage: S3Client;
  }) {
    this.namespace = parts.namespace;
    this.#reader = new ObjectReader(parts.namespace.config, parts.namespace.name);
    this.bucket = parts.bucket;
    this.#values = parts.values;
    this.#folder = parts.folder;
    this.#storage = parts.storage;
  }

  /** Creates a namespace and a bucket, and installs nothing yet. */
  static async prepare(label: string, values: Values = {}, kubeconfig?: string): Promise<HelmInstallation> {
    const [namespace, folder] = await Promise.all([
      testNamespace(`e2e-${label}`, kubeconfig),
      mkdtemp(path.join(tmpdir(), 'tearsheet-e2e-')),
    ]);
    const { endpoint, region, accessKeyId, secretAccessKey } = s3();
    const credentials = { accessKeyId, secretAccessKey };
    const storage = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    const bucket = `e2e-${randomBytes(6).toString('hex')}`;
    await storage.send(new CreateBucketCommand({ Bucket: bucket }));
    const artifacts = {
      url: `s3://${bucket}/pictures`,
      endpoint,
      region,
      forcePathStyle: true,
      accessKeyId,
      secretAccessKey,
    };
    const own = {
      image: { ...image(), pullPolicy: 'IfNotPresent' },
      publicUrl: 'http://tearsheet.test',
      artifacts,
      egress: { allow: [`${host()}/32`] },
    };
    return new HelmInstallation({ namespace, bucket, values: merged(own, values), folder, storage });
  }

  /** @returns the chart's notes. */
  async install(chart = CHART): Promise<string> {
    const printed = await this.#helm('install', this.#values, chart).catch(async (error: unknown) => {
      if (!DEFINITION_WAS_MADE.test(String(error))) throw error;
      await helm(['uninstall', RELEASE, '-n', this.namespace.name, '--no-hooks', '--wait', '--ignore-not-found'], {
        timeoutMs: INSTALL_MS,
      });
      return this.#helm('install', this.#values, chart);
    });
    await this.waitUntilReady();
    return printed;
  }

  async upgrade(values: Values): Promise<string> {
    return this.#helm('upgrade', merged(this.#values, values));
  }

  /** An upgrade that may fail. @returns the exit code of Helm and what it printed. */
  async tryUpgrade(values: Values, timeoutSeconds: number): Promise<RunResult> {
    const file = path.join(this.#folder, 'failing.json');
    writeFileSync(file, JSON.stringify(merged(this.#values, values)));
    const args = ['upgrade', RELEASE, CHART, '-n', this.namespace.name, '-f', TRIAL, '-f', file, '--take-ownership'];
    const limit = ['--wait', '--timeout', `${timeoutSeconds}s`];
    return tryRun('helm', [...args, ...limit], { timeoutMs: timeoutSeconds * 1_000 + 60_000 });
  }

  /** Returns when the Service responds, which with one replica is a moment after Helm sees the new pod ready. */
  async rollback(): Promise<void> {
    const args = ['rollback', RELEASE, '-n', this.namespace.name, '--wait', '--timeout', '240s'];
    await helm(args, { timeoutMs: 260_000 });
    await this.waitUntilReady();
  }

  /** `helm test`. Pods that succeed are deleted with their logs. */
  helmTest(): Promise<RunResult> {
    return tryRun('helm', ['test', RELEASE, '--logs', '-n', this.namespace.name, '--timeout', '180s'], {
      timeoutMs: 200_000,
    });
  }

  /** The ERROR lines in the logs of all pods of API, controller and database that exist now. */
  async errorLines(): Promise<string[]> {
    const selector = 'app.kubernetes.io/component in (api,controller,postgres)';
    const { stdout } = await this.tryKubectl([
      'logs',
      ...['-l', selector, '--all-containers', '--tail=-1', '--ignore-errors', '--max-log-requests=50'],
    ]);
    return stdout.split('\n').filter((line) => /^\{"level":"(error|fatal)"/.test(line));
  }

  async #helm(verb: 'install' | 'upgrade', values: Values, chart = CHART): Promise<string> {
    const file = path.join(this.#folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const args = [verb, RELEASE, chart, '-n', this.namespace.name, '-f', TRIAL, '-f', file];
    // The CRD stays after its release is removed and still names the last release as its owner.
    const known = (await tryRun('kubectl', ['get', 'crd', 'screenshotjobs.tearsheet.dev'])).code === 0;
    if (known) args.push('--take-ownership');
    return helm([...args, '--wait', '--timeout', `${INSTALL_MS / 1_000}s`], { timeoutMs: INSTALL_MS + 20_000 }).catch(
      async (error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : String(error)}\n${await this.diagnostics()}`);
      },
    );
  }

  /** Waits until the Service responds, a moment after its pods are ready. */
  async waitUntilReady(): Promise<void> {
    const url = await this.url();
    await eventually(async () => {
      // On new connections, because the Service may still lead some of them to a pod that has gone.
      for (let answered = 0; answered < ANSWERS_IN_A_ROW; answered++) {
        const request = { headers: { connection: 'close' }, signal: AbortSignal.timeout(20_000) };
        const response = await fetch(`${url}/openapi.json`, request);
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${url}/openapi.json answered ${response.status}`);
      }
    }, 240_000);
  }

  /** The address of the API's Service, as this machine reaches it. */
  async url(): Promise<string> {
    this.#url ??= await this.#serviceUrl();
    return this.#url;
  }

  async #serviceUrl(): Promise<string> {
    const services = await this.list<{ spec: { clusterIP: string; ports: { name: string; port: number }[] } }>(
      'services',
      'app.kubernetes.io/component=api',
    );
    const service = services.find(
      ({ spec }) => spec.clusterIP !== 'None' && spec.ports.some(({ name }) => name === 'http'),
    );
    if (service === undefined) throw new Error(`No Service of the API among ${JSON.stringify(services)}`);
    const { clusterIP, ports } = service.spec;
    const port = ports.find(({ name }) => name === 'http')?.port ?? 80;
    await reaches(clusterIP, port);
    return `http://${clusterIP}:${port}`;
  }

  /** Creates an organization with the documented command. */
  async createOrganization(slug = 'acme'): Promise<Organization> {
    const api = `deployment/${await this.deployment('api')}`;
    const printed = await this.kubectl(['exec', api, '-c', 'api', '--', 'tearsheet', 'org', 'create', slug, '--json']);
    this.#organization = JSON.parse(printed) as Organization;
    return this.#organization;
  }

  get organization(): Organization {
    if (this.#organization === undefined) throw new Error('No organization was made yet.');
    return this.#organization;
  }

  async deployment(component: string): Promise<string> {
    const [found] = await this.list<{ metadata: { name: string } }>(
      'deployments',
      `app.kubernetes.io/component=${component}`,
    );
    if (found === undefined) throw new Error(`No Deployment is the ${component}.`);
    return found.metadata.name;
  }

  /** Calls the public API with the organization's key. */
  async call<T>(method: 'GET' | 'POST', route: string, body?: unknown, as = this.organization): Promise<T> {
    const response = await fetch(`${await this.url()}/api/v1/orgs/${as.organization}${route}`, {
      method,
      headers: { authorization: `Bearer ${as.api_key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Downloads a picture or page through the Service, because the public URL does not resolve here. */
  async download(address: string): Promise<Buffer> {
    const { pathname, search } = new URL(address);
    const response = await fetch(`${await this.url()}${pathname}${search}`, { signal: AbortSignal.timeout(60_000) });
    if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  }

  kubectl(args: readonly string[], options?: RunOptions): Promise<string> {
    return kubectl(['-n', this.namespace.name, ...args], options);
  }

  tryKubectl(args: readonly string[], options?: RunOptions): Promise<RunResult> {
    return tryRun('kubectl', ['-n', this.namespace.name, ...args], options);
  }

  list<T>(kind: Kind, selector?: string): Promise<T[]> {
    return this.#reader.list<T>(kind, selector);
  }

  jobs(): Promise<ScreenshotJobResource[]> {
    return this.list('screenshotjobs');
  }

  async jobOfSet(set: string): Promise<ScreenshotJobResource> {
    return eventually(async () => {
      const found = (await this.jobs()).find(({ spec }) => spec.set === set);
      if (found === undefined) throw new Error(`No ScreenshotJob is of the set ${set}.`);
      return found;
    }, 120_000);
  }

  /** Waits until a set's ScreenshotJob has this reason. @throws Error with the diagnostics after `timeoutMs`. */
  async waitForReason(set: string, reason: string, timeoutMs = 240_000): Promise<ScreenshotJobResource> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const job = await this.jobOfSet(set);
      if (job.status?.reason === reason) return job;
      const isOver =
        job.status?.conditions.some(({ type, status }) => type === 'Settled' && status === 'True') === true;
      if (isOver || performance.now() > deadline) {
        const { conditions: _, ...status } = job.status ?? { conditions: [] };
        const { screenshots } = await this.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
        const reasons = screenshots.map((screenshot) => screenshot.reason ?? screenshot.status).join('; ');
        const now = `${JSON.stringify(status)}\nIts pictures: ${reasons}`;
        throw new Error(`The STATUS is not ${reason}: ${now}\n${await this.diagnostics()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async pictures(): Promise<string[]> {
    return (await this.#stored()).filter((key) => key.startsWith('pictures/'));
  }

  async removePicture(key: string): Promise<void> {
    await this.#storage.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }));
  }

  async #stored(): Promise<string[]> {
    const { Contents = [] } = await this.#storage.send(new ListObjectsV2Command({ Bucket: this.bucket }));
    return Contents.map(({ Key = '' }) => Key);
  }

  async #removeBucket(): Promise<void> {
    for (const Key of await this.#stored())
      await this.#storage.send(new DeleteObjectCommand({ Bucket: this.bucket, Key }));
    await this.#storage.send(new DeleteBucketCommand({ Bucket: this.bucket }));
  }

  /** The objects, events and logs that an operator reads first when something hangs. */
  async diagnostics(): Promise<string> {
    const looks = [
      ['get', 'screenshotjobs,jobs,pods', '-o', 'wide'],
      ['get', 'events', '--sort-by=.lastTimestamp'],
      [
        'logs',
        '-l',
        'app.kubernetes.io/name=tearsheet',
        '--all-containers',
        '--prefix',
        '--tail=30',
        '--ignore-errors',
      ],
    ];
    const answers = await Promise.all(looks.map((args) => this.tryKubectl(args)));
    return answers.map(({ stdout, stderr }) => `${stdout.slice(-8_000)}${stderr}`).join('\n');
  }

  async uninstall(): Promise<string> {
    return helm(['uninstall', RELEASE, '-n', this.namespace.name, '--wait', '--timeout', '400s'], {
      timeoutMs: 420_000,
    });
  }

  /** Removes the release and all that it may have left. */
  async remove(): Promise<void> {
    await tryRun('helm', ['uninstall', RELEASE, '-n', this.namespace.name, '--ignore-not-found', '--timeout', '200s'], {
      timeoutMs: 220_000,
    });
    await this.tryKubectl(['delete', 'screenshotjobs', '--all', '--wait=false']);
    await this.tryKubectl(['delete', 'jobs', '--all', '--wait=false']);
    await this.namespace.remove();
    await this.#removeBucket().catch((error: unknown) =>
      console.warn(`The bucket ${this.bucket} could not be removed: ${String(error)}`),
    );
    this.#storage.destroy();
    this.#reader.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Mappings are merged, everything else is replaced, as Helm does with values. */
export function merged(below: Values, above: Values): Values {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = result[key];
    result[key] = isMapping(old) && isMapping(value) ? merged(old, value) : value;
  }
  return result;
}

const isMapping = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function reaches(address: string, port: number): Promise<void> {
  return eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ host: address, port, timeout: 2_000 }, () => {
          socket.destroy();
          resolve();
        });
        const failed = (why: string) => {
          socket.destroy();
          reject(new Error(`Services are not reached from this machine (${address}:${port}, ${why}).`));
        };
        socket.once('error', ({ message }) => failed(message));
        socket.once('timeout', () => failed('no answer'));
      }),
    180_000,
  );
}
