/**
 * A real control plane for tests: etcd, kube-apiserver and kube-controller-manager on loopback, without root, nodes or containers.
 * Nothing schedules or runs pods; the test sets their status.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/commands/dev/ports.ts';
import { eventually } from './eventually.ts';

const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
type Program = (typeof PROGRAMS)[number];
const START_MS = 240_000;
const PREFIX = 'tearsheet-control-plane-';

export interface ControlPlane {
  /** The path of a file that makes its reader cluster-admin. */
  readonly kubeconfig: string;
  readonly url: string;
  /** Ends one hard, as a crash does. */
  kill(program: Program): Promise<void>;
  /** Starts one again that was killed, with the same data. */
  start(program: Program): Promise<void>;
  stop(): Promise<void>;
}

interface Layout {
  readonly assets: string;
  readonly folder: string;
  readonly token: string;
  readonly etcd: number;
  readonly peers: number;
  readonly api: number;
}

/** @param assets the folder that holds the three programs. @throws with what a program said last, if it does not come up. */
export async function startControlPlane(assets: string): Promise<ControlPlane> {
  const layout = await prepare(assets);
  const running = new Map<Program, ChildProcess>();
  const kill = async (program: Program): Promise<void> => {
    const child = running.get(program);
    running.delete(program);
    if (child !== undefined) await ended(child);
  };
  const start = async (program: Program): Promise<void> => {
    const child = launch(layout, program);
    running.set(program, child);
    if (program === 'kube-apiserver') await Promise.race([eventually(() => ready(layout), START_MS), earlyEnd(child)]);
  };
  const stop = async (): Promise<void> => {
    for (const program of [...PROGRAMS].reverse()) await kill(program);
    await rm(layout.folder, { recursive: true, force: true });
  };
  try {
    for (const program of PROGRAMS) await start(program);
  } catch (error) {
    const said = PROGRAMS.map((program) => lastWords(layout, program)).join('\n');
    await stop();
    throw new Error(`The control plane for tests did not start (${String(error)}):\n${said}`, { cause: error });
  }
  return { kubeconfig: kubeconfigOf(layout), url: urlOf(layout), kill, start, stop };
}

async function prepare(assets: string): Promise<Layout> {
  await removeLeftovers();
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${process.pid}-`));
  await mkdir(path.join(folder, 'etcd'), { mode: 0o700 });
  const [etcd, peers, api] = [await freePort(), await freePort(), await freePort()];
  const layout = { assets, folder, etcd, peers, api, token: randomBytes(16).toString('hex') };
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  writeFileSync(path.join(folder, 'sa.key'), keys.privateKey, { mode: 0o600 });
  writeFileSync(path.join(folder, 'sa.pub'), keys.publicKey);
  writeFileSync(path.join(folder, 'tokens.csv'), `${layout.token},admin,1,"system:masters"\n`, { mode: 0o600 });
  writeFileSync(kubeconfigOf(layout), JSON.stringify(kubeconfig(layout)), { mode: 0o600 });
  return layout;
}

/** Programs that killed runs left behind are ended and their folders removed; a living run's are left alone. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    if (existsSync(`/proc/${name.slice(PREFIX.length).split('-')[0]}`)) continue;
    const folder = path.join(tmpdir(), name);
    for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Those that were started with a path in that folder. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((pid) => isProgram(readCommand(pid), folder))
    .map(Number);
}

function isProgram(command: string[], folder: string): boolean {
  return (
    (PROGRAMS as readonly string[]).includes(path.basename(command[0] ?? '')) &&
    command.some((word) => word.startsWith(`${folder}/`))
  );
}

function readCommand(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

const urlOf = ({ api }: Layout) => `https://127.0.0.1:${api}`;
const kubeconfigOf = ({ folder }: Layout) => path.join(folder, 'kubeconfig');
/** The API server signs it for itself at its first start. */
const certificateOf = ({ folder }: Layout) => path.join(folder, 'apiserver.crt');

function kubeconfig(layout: Layout): object {
  const cluster = { server: urlOf(layout), 'certificate-authority': certificateOf(layout) };
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'admin', user: { token: layout.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  };
}

function argumentsOf(layout: Layout, program: Program): string[] {
  const { folder, etcd, peers, api } = layout;
  const [store, peer] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peers}`];
  switch (program) {
    case 'etcd':
      return [
        ...['--data-dir', path.join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
        ...['--listen-client-urls', store, '--advertise-client-urls', store, '--listen-peer-urls', peer],
        ...['--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
      ];
    case 'kube-apiserver':
      return [
        ...['--etcd-servers', store, '--bind-address', '127.0.0.1', '--secure-port', String(api), '--cert-dir', folder],
        ...['--token-auth-file', path.join(folder, 'tokens.csv'), '--authorization-mode', 'RBAC'],
        ...['--service-cluster-ip-range', '10.0.0.0/24', '--endpoint-reconciler-type', 'none'],
        ...['--service-account-issuer', 'https://kubernetes.default.svc.cluster.local'],
        ...['--service-account-key-file', path.join(folder, 'sa.pub')],
        ...['--service-account-signing-key-file', path.join(folder, 'sa.key')],
        ...['--enable-admission-plugins', 'OwnerReferencesPermissionEnforcement'],
      ];
    case 'kube-controller-manager':
      return [
        ...['--kubeconfig', kubeconfigOf(layout), '--leader-elect=false', '--secure-port=0'],
        ...['--service-account-private-key-file', path.join(folder, 'sa.key'), '--root-ca-file', certificateOf(layout)],
        ...['--kube-api-qps', '500', '--kube-api-burst', '1000', '--concurrent-job-syncs', '20'],
        // There are no nodes whose silence would mean anything, and no cloud.
        ...['--controllers', '*,-node-lifecycle-controller,-node-ipam-controller,-service-lb-controller'],
      ];
  }
}

function launch(layout: Layout, program: Program): ChildProcess {
  const child = spawn(path.join(layout.assets, program), argumentsOf(layout, program), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logOf(layout, program), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.on('error', (error) => log.write(String(error)));
  child.on('close', () => log.end());
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGKILL');
  await end;
}

/** Rejects when it ends by itself, so that nobody waits for a program that is gone. */
function earlyEnd(child: ChildProcess): Promise<never> {
  return new Promise((_resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`${child.spawnfile} ended: ${code ?? signal}`)));
  });
}

async function ready(layout: Layout): Promise<void> {
  const ca = readFileSync(certificateOf(layout));
  const headers = { authorization: `Bearer ${layout.token}` };
  return new Promise((resolve, reject) => {
    // A connection of its own, because the certificate may be new.
    const asked = get(`${urlOf(layout)}/readyz`, { ca, headers, agent: new Agent(), timeout: 5_000 }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`/readyz: ${response.statusCode}`));
    });
    asked.on('timeout', () => asked.destroy(new Error('/readyz does not answer')));
    asked.on('error', reject);
  });
}

const logOf = ({ folder }: Layout, program: Program) => path.join(folder, `${program}.log`);

function lastWords(layout: Layout, program: Program): string {
  try {
    return `${program}: ${readFileSync(logOf(layout, program), 'utf8').slice(-1_500)}`;
  } catch {
    return `${program}: was not started`;
  }
}
