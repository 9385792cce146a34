/** One installation with an organization, and the steps that its tests share. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import { eventually } from '../../support/eventually.ts';
import { CaptureProfileEditor } from './captureProfileEditor.ts';
import { keepConsole } from './commands.ts';
import {
  type ExternalServers,
  type ScreenshotSet,
  screenshotRequest,
  startExternalServers,
} from './externalServers.ts';
import { HelmInstallation, merged, type ScreenshotJobResource, selectorOf, type Values } from './helmInstallation.ts';

/** The status must name a problem within this time. */
const SET_TIMEOUT_MS = 300_000;
/** Settings with which a capture waits for a held page as long as Helm may take. */
export const PATIENT = { NAVIGATION_TIMEOUT_MS: '300000' };
/** Several installations share a node of two cores. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' } };
const SMALL_VALUES: Values = {
  api: { resources: SMALL },
  controller: { resources: SMALL },
  capture: { resources: SMALL },
  trial: { postgres: { resources: SMALL } },
};

export class E2eContext {
  #world: ExternalServers | undefined;
  #installation: HelmInstallation | undefined;
  #profile: CaptureProfileEditor | undefined;
  #isProfileOver = false;
  #notes = '';
  readonly #cleanups: (() => unknown)[] = [];
  readonly #expectedErrors: RegExp[] = [];

  get servers(): ExternalServers {
    if (this.#world === undefined) throw new Error('The test has not called start().');
    return this.#world;
  }

  get installation(): HelmInstallation {
    if (this.#installation === undefined) throw new Error('Nothing is installed.');
    return this.#installation;
  }

  /** The chart's notes, as `helm install` printed them. */
  get notes(): string {
    return this.#notes;
  }

  /** @param sizes the resource requests of the pods; small by default. @param chart that of the checkout by default. */
  async start(label: string, values: Values = {}, sizes = SMALL_VALUES, chart?: string): Promise<void> {
    this.#world = await startExternalServers(() => this.installation.organization.webhook_secret);
    this.#installation = await HelmInstallation.prepare(label, merged(sizes, values));
    this.#profile = new CaptureProfileEditor(this.#installation);
    this.#notes = await this.installation.install(chart);
    await this.installation.createOrganization();
  }

  /** Also checks the logs of all pods of the service that exist by now. */
  async close(): Promise<void> {
    const errors = (await this.#installation?.errorLines()) ?? [];
    await this.#installation?.remove();
    await this.#world?.close();
    const unexpected = errors.filter((line) => !this.#expectedErrors.some((pattern) => pattern.test(line)));
    expect(unexpected, 'ERROR lines in the logs of the pods that the tests do not expect').toEqual([]);
  }

  /** Names ERROR lines that the faults of these tests cause. */
  expectErrors(...patterns: RegExp[]): void {
    this.#expectedErrors.push(...patterns);
  }

  /** Runs `undo` after the test, also when it fails; the last one first. */
  addCleanup(undo: () => unknown): void {
    this.#cleanups.push(undo);
  }

  async cleanUp(): Promise<void> {
    for (const undo of this.#cleanups.splice(0).reverse()) await undo();
  }

  /** Holds the responses behind the gate until the test ends. */
  holdGate(gate: string): void {
    this.servers.requestGate.hold(gate);
    this.addCleanup(() => this.servers.requestGate.release(gate));
  }

  /** Requests one picture. With a gate, the creative's server holds its response. @returns the set's id. */
  async requestSet(campaign: string, gate?: string): Promise<string> {
    if (this.#isProfileOver) await this.#setProfile({});
    if (gate !== undefined) this.holdGate(gate);
    const asked = screenshotRequest(this.servers, { campaign, ...(gate === undefined ? {} : { gate }) });
    return (await this.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked)).id;
  }

  /** As {@link requestHeldSet} with the page instead of the creative, which would fail after 30 s. The values need {@link PATIENT}. */
  async requestSetOfHeldPage(gate: string): Promise<string> {
    const { requestGate, publishers } = this.servers;
    this.holdGate(gate);
    const site = requestGate.urlFor(gate, publishers.urlByPath('news'));
    const asked = screenshotRequest(this.servers, { campaign: gate, pages: [], sites: [site] });
    const { id } = await this.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
    await requestGate.waitForRequest(gate);
    return id;
  }

  /** Requests a picture and waits until its capture asks for the held creative. The gate has the campaign's name. */
  async requestHeldSet(campaign: string): Promise<string> {
    const set = await this.requestSet(campaign, campaign);
    await this.servers.requestGate.waitForRequest(campaign);
    return set;
  }

  /** Changes the capture profile until the test ends or sets another one; `{}` restores the installed profile. */
  async changeProfile(change: Partial<CaptureProfile>): Promise<void> {
    await this.#setProfile(change);
    // Each change restarts the controller, so the profile is restored with the next request only; that test may set its own.
    this.addCleanup(() => {
      this.#isProfileOver = true;
    });
  }

  async #setProfile(change: Partial<CaptureProfile>): Promise<void> {
    this.#isProfileOver = false;
    await this.#profile?.set(change);
  }

  /** Waits for the reason in the STATUS column and keeps the output of kubectl. */
  async expectReason(set: string, reason: string, timeoutMs?: number): Promise<ScreenshotJobResource> {
    const job = await this.installation.waitForReason(set, reason, timeoutMs);
    const { name } = job.metadata;
    const text = await this.kubectlOutput(
      ['get', 'screenshotjob', name],
      ['get', 'screenshotjob', name, '-o', 'jsonpath={.status.message}'],
      ['get', 'pods', '-l', selectorOf(job)],
      ['get', 'events', '--field-selector', `involvedObject.name=${name}`],
    );
    keepConsole(`status-${reason}`, text);
    return job;
  }

  /** Waits until the set has this status. */
  async waitForSetStatus(set: string, status: string): Promise<ScreenshotSet> {
    return eventually(async () => {
      const now = await this.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
      if (now.status !== status) throw new Error(`The set is ${now.status}, not ${status}: ${JSON.stringify(now)}`);
      return now;
    }, SET_TIMEOUT_MS);
  }

  /** Waits until the set is approved with all its pictures and its webhook was sent under one id. */
  async expectApproved(set: string): Promise<void> {
    const { screenshots } = await this.waitForSetStatus(set, 'approved');
    expect([...new Set(screenshots.map(({ reason, status }) => reason ?? status))]).toEqual(['uploaded']);
    await eventually(() =>
      expect(new Set(this.servers.receiver.accepted('screenshot_set.approved', set)).size).toBe(1),
    );
  }

  /** Runs kubectl commands. @returns the commands with their output, as in a terminal. */
  async kubectlOutput(...commands: string[][]): Promise<string> {
    const parts: string[] = [];
    for (const args of commands) {
      const { stdout, stderr } = await this.installation.tryKubectl(args);
      parts.push(`$ kubectl ${args.join(' ')}\n${stdout}${stderr}`);
    }
    return parts.join('\n');
  }
}

/** Starts an installation for a whole test file. */
export function useE2eContext(label: string, values: Values = {}, sizes = SMALL_VALUES): E2eContext {
  const trial = new E2eContext();
  beforeAll(() => trial.start(label, values, sizes));
  afterEach(() => trial.cleanUp());
  afterAll(() => trial.close());
  return trial;
}
