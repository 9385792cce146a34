/** Acts as the kubelet of a namespace without nodes: each capture pod runs as a child process with the fake capture program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CoreV1Api, V1Pod } from '@kubernetes/client-node';

const CAPTURE = fileURLToPath(new URL('./fakeCapture.ts', import.meta.url));
const POLL_MS = 100;
const SELECTOR = 'app.kubernetes.io/component=capture';

export interface FakeKubeletOptions {
  readonly core: CoreV1Api;
  readonly namespace: string;
  /** Issues the token that the internal API accepts in place of a pod's service account token. */
  readonly tokenOf: (jobId: string) => string;
  readonly folder: string;
}

export class FakeKubelet {
  readonly #options: FakeKubeletOptions;
  readonly #playing = new Map<string, ChildProcess | undefined>();
  #polling: Promise<void>;
  #stopped = false;
  /** False: pods stay pending. */
  startsPods = true;

  constructor(options: FakeKubeletOptions) {
    this.#options = options;
    this.#polling = this.#poll();
  }

  /** Sets this status on every pending pod. @returns how many there were. */
  async setPendingPodStatus(status: object): Promise<number> {
    const waiting = (await this.#pods()).filter(({ status }) => status?.phase === 'Pending');
    for (const pod of waiting) await this.#patch(pod, status);
    return waiting.length;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#polling;
    for (const child of this.#playing.values()) child?.kill('SIGKILL');
  }

  async #pods(): Promise<V1Pod[]> {
    const { core, namespace } = this.#options;
    return (await core.listNamespacedPod({ namespace, labelSelector: SELECTOR })).items;
  }

  async #poll(): Promise<void> {
    while (!this.#stopped) {
      const pods = await this.#pods().catch(() => []);
      const there = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
      for (const [uid, child] of this.#playing) if (!there.has(uid)) child?.kill('SIGTERM');
      if (this.startsPods) for (const pod of pods) await this.#start(pod);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #start(pod: V1Pod): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    if (this.#playing.has(uid) || pod.metadata?.deletionTimestamp !== undefined) return;
    this.#playing.set(uid, undefined);
    await this.#patch(pod, { phase: 'Running', conditions: [], containerStatuses: [containerOf({ running: {} })] });
    const { tokenOf, folder } = this.#options;
    const own = Object.fromEntries((pod.spec?.containers[0]?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    const child = spawn(process.execPath, [CAPTURE], {
      env: {
        ...own,
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        FAKE_CAPTURE_FOLDER: folder,
        TEARSHEET_POD: uid,
        TEARSHEET_TOKEN: tokenOf(own['TEARSHEET_JOB'] ?? ''),
        JOB_COMPLETION_INDEX: pod.metadata?.annotations?.['batch.kubernetes.io/job-completion-index'],
      },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    this.#playing.set(uid, child);
    child.once('exit', (code) => void this.#end(pod, code ?? 137));
  }

  async #end(pod: V1Pod, exitCode: number): Promise<void> {
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    await this.#patch(pod, { phase, containerStatuses: [containerOf({ terminated: { exitCode } })] });
  }

  /** A pod that was deleted meanwhile needs no status. */
  async #patch(pod: V1Pod, status: object): Promise<void> {
    const { core, namespace } = this.#options;
    const body = Object.entries(status).map(([key, value]) => ({ op: 'add', path: `/status/${key}`, value }));
    await core.patchNamespacedPodStatus({ name: pod.metadata?.name ?? '', namespace, body }).catch(() => undefined);
  }
}

function containerOf(state: object) {
  const identity = {
    name: 'capture',
    image: 'tearsheet:test',
    imageID: 'tearsheet:test',
    ready: true,
    restartCount: 0,
  };
  return { ...identity, state };
}
