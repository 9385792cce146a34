/** The services of the benchmark: PostgreSQL, a real API server, and the compiled `tearsheet api` and `tearsheet controller`. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BatchV1Api, CoreV1Api, CustomObjectsApi, KubeConfig } from '@kubernetes/client-node';
import pg from 'pg';
import { freePort, startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { startControlPlane } from '../../support/controlPlane.ts';
import { findAssets } from '../../support/globalCluster.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { CLI, runProgram, startProgram } from '../program.ts';

export const NAMESPACE = 'scale';
const ROOT = path.join(import.meta.dirname, '../../..');

export interface Limits {
  readonly maxPods: number;
  readonly finished: number;
}

export interface Organization {
  readonly organization: string;
  readonly api_key: string;
}

export interface Stand {
  readonly apiUrl: string;
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly custom: CustomObjectsApi;
  readonly database: pg.Pool;
  readonly databaseUrl: string;
  /** Process id of the controller. */
  readonly controller: number;
  createOrganization(slug: string): Promise<Organization>;
  close(): Promise<void>;
}

export async function openStand({ maxPods }: Limits): Promise<Stand> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-scale-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const assets = await findAssets();
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const settings = ['synchronous_commit=off', 'max_connections=200', 'shared_buffers=256MB'];
    const postgres = await startEmbeddedPostgres({
      folder: path.join(folder, 'postgres'),
      password: 'scale',
      settings,
    });
    ends.push(() => postgres.stop());
    const plane = await startControlPlane(assets);
    ends.push(() => plane.stop());
    const profile = path.join(folder, 'profile.json');
    await writeFile(profile, JSON.stringify({ image: 'tearsheet:scale', serviceAccountName: 'default' }));
    const config = new KubeConfig();
    config.loadFromFile(plane.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    const kubectl = (...args: string[]) =>
      promisify(execFile)(path.join(assets, 'kubectl'), ['--kubeconfig', plane.kubeconfig, ...args], {
        timeout: 60_000,
      });
    await kubectl('apply', '--server-side', '-f', path.join(ROOT, 'crds'));
    await kubectl('wait', '--for=condition=Established', '--timeout=50s', '-f', path.join(ROOT, 'crds'));
    await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
    const [port, internal] = [await freePort(), await freePort()];
    const env = {
      ...{
        DATABASE_URL: postgres.url,
        SECRETS_KEYS: TEST_KEYS,
        ARTIFACTS_URL: `file://${path.join(folder, 'pictures')}`,
      },
      ...{ PORT: String(port), INTERNAL_PORT: String(internal), HOST: '127.0.0.1', LOG_LEVEL: 'info' },
      ...{ PUBLIC_URL: `http://127.0.0.1:${port}`, INTERNAL_URL: `http://127.0.0.1:${internal}` },
      ...{ RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '100000', NODE_ENV: 'production' },
    };
    await runProgram([CLI, 'migrate'], env);
    const ready = (line: string) => line.includes('"msg":"ready"');
    const metrics = async () => ({ METRICS_PORT: String(await freePort()) });
    const api = await startProgram([CLI, 'api'], { env: { ...env, ...(await metrics()) }, ready });
    ends.push(() => api.stop());
    const controller = await startProgram([CLI, 'controller'], {
      ready,
      env: {
        ...{ ...env, ...(await metrics()), KUBECONFIG: plane.kubeconfig, NAMESPACE },
        ...{ CAPTURE_PROFILE: profile, MAX_PODS: String(maxPods), MAX_PODS_PER_ORGANIZATION: String(maxPods) },
        NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=8',
        CAPTURE_PARALLELISM: '1',
      },
    });
    ends.push(() => controller.stop());
    const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
    database.on('error', () => undefined);
    ends.push(() => database.end());
    return {
      apiUrl: env.PUBLIC_URL,
      ...{ core, database, databaseUrl: postgres.url, controller: controller.pid, close },
      batch: config.makeApiClient(BatchV1Api),
      custom: config.makeApiClient(CustomObjectsApi),
      createOrganization: async (slug) =>
        JSON.parse(await runProgram([CLI, 'org', 'create', slug, '--json'], env)) as Organization,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
