/** Simulates nodes and captures: for each pod of the Job controller, calls the capture protocol at once and ends the pod. No browser, one small PNG. */
import type { CoreV1Api, V1Pod } from '@kubernetes/client-node';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import {
  type Attempt,
  type ClaimedCreative,
  PROTOCOL_VERSION,
  type ResolvedCreatives,
} from '../../../src/contract/captureProtocol.ts';
import { PNG_FACTS, uploadPng } from '../../support/captureClient.ts';
import { NAMESPACE } from './stand.ts';

const POLL_MS = 500;
const AT_ONCE = 24;
const SELECTOR = 'app.kubernetes.io/component=capture';

export interface Player {
  readonly played: number;
  readonly faults: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** @param secret of the installation, which signs the token of a job. */
export function startPlayer(core: CoreV1Api, secret: Buffer): Player {
  const known = new Set<string>();
  const faults = new Map<string, number>();
  const waiting: V1Pod[] = [];
  let [played, stopped] = [0, false];

  const look = async (): Promise<void> => {
    const { items } = await core.listNamespacedPod({
      namespace: NAMESPACE,
      labelSelector: SELECTOR,
      resourceVersion: '0',
    });
    const there = new Set(items.map(({ metadata }) => metadata?.uid ?? ''));
    for (const uid of known) if (!there.has(uid)) known.delete(uid);
    for (const pod of items) {
      const uid = pod.metadata?.uid ?? '';
      if (known.has(uid) || pod.metadata?.deletionTimestamp !== undefined) continue;
      known.add(uid);
      waiting.push(pod);
    }
  };
  const poll = async (): Promise<void> => {
    while (!stopped) {
      await look().catch(note);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const note = (error: unknown): void => {
    const what = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    faults.set(what, (faults.get(what) ?? 0) + 1);
  };
  const work = async (): Promise<void> => {
    while (!stopped) {
      const pod = waiting.shift();
      if (pod === undefined) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS / 5));
        continue;
      }
      await play(pod, secret).then(() => played++, note);
      await end(core, pod);
    }
  };
  const all = Promise.all([poll(), ...Array.from({ length: AT_ONCE }, work)]);
  return {
    get played() {
      return played;
    },
    faults,
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}

async function play(pod: V1Pod, secret: Buffer): Promise<void> {
  const env = new Map((pod.spec?.containers[0]?.env ?? []).map(({ name, value = '' }) => [name, value]));
  const job = env.get('TEARSHEET_JOB') ?? '';
  const index = Number(pod.metadata?.annotations?.['batch.kubernetes.io/job-completion-index'] ?? 0);
  const token = issueJobToken(secret, job, new Date(Date.now() + 3_600_000));
  const call = async <T>(route: string, body: object): Promise<T> => {
    const base = `${env.get('TEARSHEET_INTERNAL_URL')}/internal/${PROTOCOL_VERSION}/jobs/${job}`;
    const response = await fetch(`${base}/${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`${route.replaceAll(/[0-9a-f-]{36}/g, '…')}: ${response.status}`);
    return (await response.json()) as T;
  };
  const { attempt, done, pages } = await call<Attempt>(`indexes/${index}/attempts`, { pod: pod.metadata?.uid });
  if (done) return;
  const bound = { index, attempt };
  const { creative } = await call<ClaimedCreative>('creatives/claim', bound);
  if (creative !== null) {
    const { ad_id, wanted } = creative;
    const pictures = wanted.map((frame) => ({ kind: 'frame', ad_id, ...frame }));
    const keys = await uploadPng(call, bound, pictures);
    const frames = wanted.map((frame, i) => ({ ...frame, key: keys[i], ...PNG_FACTS }));
    const kind = { format: 'tag', category: 'display', mode: 'stepped', notes: [], width: 300, height: 250 };
    await call(`creatives/${creative.ad_id}/result`, {
      ...bound,
      seconds: 0.1,
      result: { status: 'uploaded', ...kind, frames },
    });
  }
  for (const { screenshots } of pages) {
    const ads = [...new Set(screenshots.map(({ ad_id }) => ad_id))];
    await call<ResolvedCreatives>('creatives/wait', { ...bound, ads, timeout_ms: 5_000 });
    const pictures = screenshots.map(({ id }) => ({ kind: 'screenshot', id }));
    const keys = await uploadPng(call, bound, pictures);
    const times = { captured_at: new Date().toISOString(), record: {} };
    const results = screenshots.map(({ id }, i) => ({ id, status: 'uploaded', key: keys[i], ...PNG_FACTS, ...times }));
    await call('screenshots/results', { ...bound, results });
  }
  await call(`indexes/${index}/finish`, { attempt, phases: {} });
}

/** A pod that is already gone needs no end. */
async function end(core: CoreV1Api, { metadata }: V1Pod): Promise<void> {
  const body = [{ op: 'add', path: '/status/phase', value: 'Succeeded' }];
  await core
    .patchNamespacedPodStatus({ name: metadata?.name ?? '', namespace: NAMESPACE, body })
    .catch(() => undefined);
}
