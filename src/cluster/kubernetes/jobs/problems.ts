/** Finds the problem that keeps a Job from running. A Job itself shows none, so its pods, Events and nodes are read. */
import { CAPTURE_EXIT, ENDED_UNHEARD } from '../../../contract/captureProtocol.ts';
import type { ScreenshotJobReason } from '../../../contract/screenshotJob.ts';
import type { CaptureJob, Problem } from '../../port.ts';
import { type JobState, type KubernetesReason, type PodState, parseIndexes } from '../cache/objectStates.ts';
import { rejectionReason } from './rejectionReason.ts';

/** The kind of object that an Event is about. */
export type WarningKind = 'Job' | 'Pod';

/** Milliseconds on our clock, by the name of the condition. */
export type FirstSeenTimes = ReadonlyMap<string, number>;

export interface Diagnosis {
  readonly captureJob: CaptureJob;
  readonly firstSeen: FirstSeenTimes;
  /** Events that could show more. */
  readonly eventsNeeded: readonly WarningKind[];
  /** Milliseconds until another condition may count; undefined: only a change of an object can change the diagnosis. */
  readonly recheckMs: number | undefined;
}

/** A pod is stuck if it has not ended this long after its grace period. */
const STUCK_AFTER_MS = 60_000;
/** No watch reports Events, so they are read again at this interval. */
const EVENTS_RECHECK_MS = 5_000;

type HasLasted = (condition: LastingCondition) => boolean;

/** A condition, and how long it must last before it counts. */
export interface LastingCondition {
  readonly condition: string;
  readonly ms: number;
}

/** A problem that is reported after its condition has lasted. */
export interface PossibleProblem extends LastingCondition {
  readonly problem: Problem;
}

/** The fields of an Event that are read. */
export interface EventState extends KubernetesReason {
  readonly lastAt: string;
}

export interface JobSnapshot {
  readonly job: JobState;
  readonly pods: readonly PodState[];
  /** By the uid of their Job or pod. */
  readonly events: ReadonlyMap<string, readonly EventState[]>;
  readonly unreadyNodes: ReadonlySet<string>;
}

const PULL_ERRORS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
]);
const START_ERRORS = new Set(['StartError', 'ContainerCannotRun', 'RunContainerError', 'PostStartHookError']);

/** With these exit codes the capture did not fail: another pod has its index, or it was terminated. */
const HARMLESS_EXITS = new Set<number>([CAPTURE_EXIT.superseded, CAPTURE_EXIT.terminated, ENDED_UNHEARD]);

const REPORTED_AFTER_MS = 3_000;

/** The Job has fewer pods than it should have. */
const MISSING_PODS: LastingCondition = { condition: 'missing', ms: 3_000 };
/** Pulling an image and mounting volumes usually takes less time. */
const creating = ({ uid }: PodState): LastingCondition => ({ condition: `creating ${uid}`, ms: 20_000 });

const hasEnded = ({ phase }: PodState) => phase === 'Succeeded' || phase === 'Failed';

/** The pod is on a node, its container does not run yet, and no reason is given. */
function isCreating({ waiting, node, phase, deleting }: PodState): boolean {
  const isNormal =
    waiting === undefined || waiting.reason === 'ContainerCreating' || waiting.reason === 'PodInitializing';
  return phase === 'Pending' && !deleting && node !== undefined && isNormal;
}

/** How many more pods the Job should have now. */
function missingPods({ job, pods }: JobSnapshot): number {
  if (job.suspended || job.finished || job.deleting || job.isFailing) return 0;
  const count = (indexes: string) => parseIndexes(indexes, job.indexes).length;
  const ended = count(job.succeededIndexes) + count(job.failedIndexes);
  const expected = Math.min(job.parallelism, job.indexes - ended);
  return Math.max(0, expected - pods.filter((pod) => !hasEnded(pod)).length);
}

/** The first problem in order of certainty; undefined if a pod is capturing. */
function findProblem(snapshot: JobSnapshot): PossibleProblem | undefined {
  const { job, pods } = snapshot;
  if (job.finished || job.deleting || isCapturing(snapshot)) return undefined;
  if (job.suspended) return possibleProblem('Suspended', suspendedMessage(job));
  const live = pods.filter((pod) => !hasEnded(pod));
  return (
    findFirst(live, pullProblem) ??
    findFirst(live, (pod) => startProblem(pod, snapshot)) ??
    findFirst(live, (pod) => nodeProblem(pod, snapshot)) ??
    findFirst(live, scheduleProblem) ??
    creationProblem(snapshot) ??
    (live.length === 0 ? endProblem(pods) : undefined)
  );
}

/** True if at least one pod runs on a node that answers and is not being deleted. */
function isCapturing(snapshot: JobSnapshot): boolean {
  return snapshot.pods.some((pod) => pod.phase === 'Running' && !pod.deleting && !isOnLostNode(pod, snapshot));
}

function suspendedMessage({ name, queue }: JobState): string {
  if (queue !== undefined)
    return `The Job ${name} is suspended until Kueue admits it from the queue "${queue}": kubectl get workloads`;
  return `The Job ${name} is suspended. To resume it: kubectl patch job ${name} -p '{"spec":{"suspend":false}}'`;
}

function possibleProblem(
  reason: ScreenshotJobReason,
  message: string,
  lasting: LastingCondition = { condition: reason, ms: REPORTED_AFTER_MS },
): PossibleProblem {
  return { problem: { reason, message }, ...lasting };
}

function findFirst(
  pods: readonly PodState[],
  find: (pod: PodState) => PossibleProblem | undefined,
): PossibleProblem | undefined {
  for (const pod of pods) {
    const problem = find(pod);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function pullProblem({ name, waiting }: PodState): PossibleProblem | undefined {
  if (waiting === undefined || !PULL_ERRORS.has(waiting.reason)) return undefined;
  return possibleProblem('ImagePullFailed', `${name}: ${textOf(waiting)}`);
}

function startProblem(pod: PodState, { events }: JobSnapshot): PossibleProblem | undefined {
  const { name, uid, waiting } = pod;
  if (waiting !== undefined && (/^CreateContainer.*Error$/.test(waiting.reason) || START_ERRORS.has(waiting.reason)))
    return possibleProblem('PodStartFailed', `${name}: ${textOf(waiting)}`);
  if (!isCreating(pod)) return undefined;
  const event = newest(events.get(uid), ({ reason }) => reason.startsWith('Failed'));
  return event && possibleProblem('PodStartFailed', `${name}: ${textOf(event)}`, creating(pod));
}

function isOnLostNode({ nodeUnresponsive, node }: PodState, { unreadyNodes }: JobSnapshot): boolean {
  return nodeUnresponsive || (node !== undefined && unreadyNodes.has(node));
}

function nodeProblem(pod: PodState, snapshot: JobSnapshot): PossibleProblem | undefined {
  if (pod.node === undefined || !isOnLostNode(pod, snapshot)) return undefined;
  return possibleProblem('NodeLost', `${pod.name}: its node ${pod.node} does not answer.`);
}

function scheduleProblem({ name, unschedulable }: PodState): PossibleProblem | undefined {
  return unschedulable && possibleProblem('Unschedulable', `${name}: ${textOf(unschedulable)}`);
}

/** The Job controller cannot create pods. */
function creationProblem(snapshot: JobSnapshot): PossibleProblem | undefined {
  if (missingPods(snapshot) === 0) return undefined;
  const { job, pods, events } = snapshot;
  const event = newest(events.get(job.uid), ({ reason }) => reason === 'FailedCreate');
  const created = pods.map(({ createdAt }) => createdAt).toSorted();
  // An Event that is older than the last pod is about a problem that no longer exists.
  if (event === undefined || event.lastAt < (created.at(-1) ?? '')) return undefined;
  // Each try has another random pod name. Without it the message stays the same.
  const message = event.message.replace(/^(Error creating: pods "[^"]+-)[a-z0-9]{5}"/, '$1"');
  return possibleProblem(rejectionReason(message), message, MISSING_PODS);
}

/** How the latest pod failed. */
function endProblem(pods: readonly PodState[]): PossibleProblem | undefined {
  const [latest] = pods.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  if (latest?.phase !== 'Failed') return undefined;
  const { name, failure, endReason, disruption } = latest;
  if (endReason?.reason === 'Evicted') return possibleProblem('Evicted', `${name}: ${endReason.message}`);
  if (failure === undefined || HARMLESS_EXITS.has(failure.exitCode)) return undefined;
  if (disruption !== undefined) return possibleProblem('Evicted', `${name}: ${textOf(disruption)}`);
  if (START_ERRORS.has(failure.reason)) return possibleProblem('PodStartFailed', `${name}: ${textOf(failure)}`);
  const { exitCode, message } = failure;
  if (failure.reason === 'OOMKilled')
    return possibleProblem('OOMKilled', `${name}: it ran out of memory; exit code ${exitCode}.`);
  return possibleProblem('PodFailed', `${name}: exit code ${exitCode}${message === '' ? '.' : `: ${message}`}`);
}

function newest(events: readonly EventState[] = [], matches: (event: EventState) => boolean): EventState | undefined {
  return events.filter(matches).toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))[0];
}

function textOf({ reason, message }: KubernetesReason): string {
  return message === '' ? reason : `${reason}: ${message}`;
}

/**
 * Diagnoses a Job from a snapshot of the Job, its pods, Events and nodes. A condition counts only after it has lasted for some time. The
 * time is measured on our own clock from when the condition was first seen, because the cluster's clock may be different. The caller keeps
 * the first-seen times of one diagnosis for the next.
 * @param now milliseconds on the same clock as `previous`.
 */
export function diagnose(snapshot: JobSnapshot, previous: FirstSeenTimes, now: number): Diagnosis {
  const firstSeen = new Map<string, number>();
  const waits: number[] = [];
  // Call it only while the condition holds: a condition that is not asked for starts again at zero.
  const hasLasted: HasLasted = ({ condition, ms }) => {
    const since = previous.get(condition) ?? now;
    firstSeen.set(condition, since);
    const left = since + ms - now;
    if (left > 0) waits.push(left);
    return left <= 0;
  };

  const possible = findProblem(snapshot);
  const problem = possible !== undefined && hasLasted(possible) ? possible.problem : undefined;
  const eventsNeeded = findEventsNeeded(snapshot, hasLasted);
  if (eventsNeeded.length > 0) waits.push(EVENTS_RECHECK_MS);
  const stuck = isStuck(snapshot, hasLasted);
  return {
    captureJob: captureJobOf(snapshot, { stuck, problem }),
    firstSeen,
    eventsNeeded,
    recheckMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

function findEventsNeeded(snapshot: JobSnapshot, hasLasted: HasLasted): WarningKind[] {
  if (isCapturing(snapshot)) return [];
  const needed: WarningKind[] = [];
  if (missingPods(snapshot) > 0 && hasLasted(MISSING_PODS)) needed.push('Job');
  const slowPods = snapshot.pods.filter((pod) => isCreating(pod) && hasLasted(creating(pod)));
  if (slowPods.length > 0) needed.push('Pod');
  return needed;
}

/** A stuck Job does not end by itself: one of its pods does not end, or the Job stays at `FailureTarget`. */
function isStuck({ job, pods }: JobSnapshot, hasLasted: HasLasted): boolean {
  // Every pod is asked, because asking starts its time.
  const stuckPods = pods.filter(
    (pod) =>
      pod.deleting &&
      !hasEnded(pod) &&
      hasLasted({ condition: `deleting ${pod.uid}`, ms: pod.graceSeconds * 1000 + STUCK_AFTER_MS }),
  );
  const isFailing = job.isFailing && !job.finished && hasLasted({ condition: 'failing', ms: STUCK_AFTER_MS });
  return isFailing || stuckPods.length > 0;
}

function captureJobOf(
  { job, pods }: JobSnapshot,
  { stuck, problem }: { readonly stuck: boolean; readonly problem: Problem | undefined },
): CaptureJob {
  const lastFailure = endProblem(pods)?.problem;
  return {
    name: job.name,
    uid: job.uid,
    ownerUid: job.ownerUid,
    createdAt: new Date(job.createdAt),
    ...(job.queue === undefined && { parallelism: job.parallelism }),
    active: pods.filter((pod) => !hasEnded(pod)).length,
    succeededIndexes: parseIndexes(job.succeededIndexes, job.indexes),
    failedIndexes: parseIndexes(job.failedIndexes, job.indexes),
    finished: job.finished,
    deleting: job.deleting,
    suspended: job.suspended,
    stuck,
    ...(problem && { problem }),
    ...(lastFailure && { lastFailure }),
  };
}
