/** What keeps a Job from running, read from what a Job itself never shows: its pods and its Events. */
import { CAPTURE_EXIT, ENDED_UNHEARD } from '../../../contract/captureProtocol.ts';
import type { ScreenshotJobReason } from '../../../contract/screenshotJob.ts';
import type { CaptureJob } from '../../port.ts';
import { type JobState, parseIndexes } from '../cache/jobState.ts';
import type { PodState, Said } from '../cache/podState.ts';

type Problem = NonNullable<CaptureJob['problem']>;

/** A problem, and what must have lasted how long before it counts. */
export interface Suspicion {
  readonly problem: Problem;
  readonly what: string;
  readonly ms: number;
}

/** What is kept of an Event. */
export interface EventState extends Said {
  readonly lastAt: string;
}

export interface Sight {
  readonly job: JobState;
  readonly pods: readonly PodState[];
  /** By the uid of what they are about: Jobs, and pods that do not start. */
  readonly events: ReadonlyMap<string, readonly EventState[]>;
  readonly unreadyNodes: ReadonlySet<string>;
}

const PULL = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
]);
const NO_START = new Set(['StartError', 'ContainerCannotRun', 'RunContainerError', 'PostStartHookError']);

/** Another pod has its index, or it was asked to end: none of its doing. */
const UNSURPRISING = new Set<number>([CAPTURE_EXIT.superseded, CAPTURE_EXIT.terminated, ENDED_UNHEARD]);

const SHOWN_AFTER_MS = 3_000;

/** Fewer pods than there should be. */
export const MISSING = { what: 'missing', ms: 3_000 } as const;
/** Longer than an image and its volumes usually take. */
export const creating = ({ uid }: PodState) => ({ what: `creating ${uid}`, ms: 20_000 });

export const isOver = ({ phase }: PodState) => phase === 'Succeeded' || phase === 'Failed';
export const isCreating = ({ waiting, node, phase, deleting }: PodState) =>
  phase === 'Pending' && !deleting && node !== undefined && (waiting === undefined || isQuiet(waiting));
const isQuiet = ({ reason }: Said) => reason === 'ContainerCreating' || reason === 'PodInitializing';

/** The pods that there should be now, beyond those that there are. */
export function missingPods({ job, pods }: Sight): number {
  if (job.suspended || job.finished || job.deleting || job.isFailing) return 0;
  const endedOf = (text: string) => parseIndexes(text, job.indexes).length;
  const ended = endedOf(job.succeededIndexes) + endedOf(job.failedIndexes);
  const wanted = Math.min(job.parallelism, job.indexes - ended);
  return Math.max(0, wanted - pods.filter((pod) => !isOver(pod)).length);
}

/** What may be wrong at this moment; a pod that runs clears everything. */
export function suspicionOf(sight: Sight): Suspicion | undefined {
  const { job, pods } = sight;
  if (job.finished || job.deleting) return undefined;
  if (isAtWork(sight)) return undefined;
  if (job.suspended) return suspect('Suspended', heldBack(job));
  const live = pods.filter((pod) => !isOver(pod));
  return (
    first(live, pullProblem) ??
    first(live, (pod) => startProblem(pod, sight)) ??
    first(live, (pod) => lossProblem(pod, sight)) ??
    first(live, scheduleProblem) ??
    creationProblem(sight) ??
    (live.length === 0 ? endProblem(pods) : undefined)
  );
}

/** Some pod of it runs, and will go on. */
export function isAtWork(sight: Sight): boolean {
  return sight.pods.some((pod) => pod.phase === 'Running' && !pod.deleting && !isLost(pod, sight));
}

/** And what lets it go. */
function heldBack({ name, queue }: JobState): string {
  if (queue !== undefined)
    return `The Job ${name} is suspended until Kueue admits it from the queue "${queue}": kubectl get workloads`;
  return `The Job ${name} is suspended. To let it go on: kubectl patch job ${name} -p '{"spec":{"suspend":false}}'`;
}

function suspect(reason: ScreenshotJobReason, message: string, lasting?: { what: string; ms: number }): Suspicion {
  return { problem: { reason, message }, ...(lasting ?? { what: reason, ms: SHOWN_AFTER_MS }) };
}

function first(pods: readonly PodState[], look: (pod: PodState) => Suspicion | undefined): Suspicion | undefined {
  for (const pod of pods) {
    const suspicion = look(pod);
    if (suspicion !== undefined) return suspicion;
  }
  return undefined;
}

function pullProblem({ name, waiting }: PodState): Suspicion | undefined {
  if (waiting === undefined || !PULL.has(waiting.reason)) return undefined;
  return suspect('ImagePullFailed', `${name}: ${words(waiting)}`);
}

function startProblem(pod: PodState, { events }: Sight): Suspicion | undefined {
  const { name, uid, waiting } = pod;
  if (waiting !== undefined && (/^CreateContainer.*Error$/.test(waiting.reason) || NO_START.has(waiting.reason)))
    return suspect('PodStartFailed', `${name}: ${words(waiting)}`);
  if (!isCreating(pod)) return undefined;
  const event = newest(events.get(uid), ({ reason }) => reason.startsWith('Failed'));
  return event === undefined ? undefined : suspect('PodStartFailed', `${name}: ${words(event)}`, creating(pod));
}

function isLost({ isCutOff, node }: PodState, { unreadyNodes }: Sight): boolean {
  return isCutOff || (node !== undefined && unreadyNodes.has(node));
}

function lossProblem(pod: PodState, sight: Sight): Suspicion | undefined {
  if (pod.node === undefined || !isLost(pod, sight)) return undefined;
  return suspect('NodeLost', `${pod.name}: its node ${pod.node} does not answer.`);
}

function scheduleProblem({ name, unschedulable }: PodState): Suspicion | undefined {
  if (unschedulable === undefined) return undefined;
  return suspect('Unschedulable', `${name}: ${words(unschedulable)}`);
}

/** Pods that could not even be made. */
function creationProblem(sight: Sight): Suspicion | undefined {
  if (missingPods(sight) === 0) return undefined;
  const { job, pods, events } = sight;
  const event = newest(events.get(job.uid), ({ reason }) => reason === 'FailedCreate');
  const lastMade =
    pods
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .at(-1) ?? '';
  // What was refused before the last pod was made is over.
  if (event === undefined || event.lastAt < lastMade) return undefined;
  // Each try is of another name, and says the same.
  const message = event.message.replace(/^(Error creating: pods "[^"]+-)[a-z0-9]{5}"/, '$1"');
  return suspect(message.includes('exceeded quota') ? 'QuotaExceeded' : 'PodRejected', message, MISSING);
}

/** How the latest pod ended. */
export function endProblem(pods: readonly PodState[]): Suspicion | undefined {
  const [last] = pods.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  if (last?.phase !== 'Failed') return undefined;
  const { name, failure, verdict, disruption } = last;
  if (verdict?.reason === 'Evicted') return suspect('Evicted', `${name}: ${verdict.message}`);
  if (failure === undefined || UNSURPRISING.has(failure.exitCode)) return undefined;
  if (disruption !== undefined) return suspect('Evicted', `${name}: ${words(disruption)}`);
  if (NO_START.has(failure.reason)) return suspect('PodStartFailed', `${name}: ${words(failure)}`);
  const { exitCode, message } = failure;
  if (failure.reason === 'OOMKilled')
    return suspect('OOMKilled', `${name}: its memory was not enough; exit code ${exitCode}.`);
  return suspect('PodFailed', `${name}: exit code ${exitCode}${message === '' ? '.' : `: ${message}`}`);
}

function newest(events: readonly EventState[] = [], fits: (event: EventState) => boolean): EventState | undefined {
  return events.filter(fits).toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))[0];
}

function words({ reason, message }: Said): string {
  return message === '' ? reason : `${reason}: ${message}`;
}
