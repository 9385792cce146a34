/** The programs of Kubernetes and Prometheus that checks and tests use beside Node: on the PATH, or among those that test/cluster/cluster builds. */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = path.join(import.meta.dirname, '../test/cluster/cluster');
const BUILD_MS = 30 * 60_000;

type Tool = 'helm' | 'kubectl' | 'kubeconform' | 'promtool';

/** The folder in which test/cluster/cluster keeps its files. The script has the same default. */
export function clusterFolder(): string {
  const { CLUSTER_DIR: given, XDG_CACHE_HOME: cache } = process.env;
  const parent = process.getuid?.() === 0 ? '/var/lib' : cache || path.join(homedir(), '.cache');
  return given || path.join(parent, 'tearsheet-cluster');
}

/** Where it is; undefined where it would have to be built first. */
export function knownTool(name: Tool): string | undefined {
  const folders = [
    path.join(clusterFolder(), 'bin'),
    process.env['KUBEBUILDER_ASSETS'] ?? '',
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ];
  return folders.map((folder) => path.join(folder, name)).find((file) => path.isAbsolute(file) && isExecutable(file));
}

/** Builds it where it is not there, which takes minutes once on a machine. */
export async function buildTool(name: Tool): Promise<string> {
  const known = knownTool(name);
  if (known !== undefined) return known;
  await promisify(execFile)(SCRIPT, ['build', name], { timeout: BUILD_MS });
  const built = knownTool(name);
  if (built === undefined) throw new Error(`test/cluster/cluster build ${name} built no ${name}.`);
  return built;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Ends with whatever code; a program that is late is killed. */
export function runTool(
  program: string,
  args: readonly string[],
  { input = '', deadlineMs = 60_000 } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: deadlineMs, killSignal: 'SIGKILL' });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
