/** One installation with an organization, and what its tests do with it over and over. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import { eventually } from '../../support/eventually.ts';
import { Installation, type JobSeen, merged, type Values } from './installation.ts';
import { Profile } from './profile.ts';
import { keepConsole } from './programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './world.ts';

/** A problem must be named so soon. */
const NAMED_MS = 30_000;
const ENDED_MS = 150_000;
/** Several installations share a node of two cores. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' } };
const SMALL_VALUES: Values = {
  api: { resources: SMALL },
  controller: { resources: SMALL },
  capture: { resources: SMALL },
  trial: { postgres: { resources: SMALL } },
};

export class Trial {
  #world: World | undefined;
  #installation: Installation | undefined;
  #profile: Profile | undefined;
  #isProfileOver = false;
  #notes = '';
  readonly #mend: (() => unknown)[] = [];

  get world(): World {
    if (this.#world === undefined) throw new Error('The trial has not begun.');
    return this.#world;
  }

  get installation(): Installation {
    if (this.#installation === undefined) throw new Error('Nothing is installed.');
    return this.#installation;
  }

  /** What Helm printed in the end. */
  get notes(): string {
    return this.#notes;
  }

  /** @param sizes what pods ask of a node; small ones unless given. */
  async begin(label: string, values: Values = {}, sizes = SMALL_VALUES): Promise<void> {
    this.#world = await startWorld(() => this.installation.organization.webhook_secret);
    this.#installation = await Installation.prepare(label, merged(sizes, values));
    this.#profile = new Profile(this.#installation);
    this.#notes = await this.installation.install();
    await this.installation.createOrganization();
  }

  async end(): Promise<void> {
    await this.#installation?.remove();
    await this.#world?.close();
  }

  /** Undone after the test, the last first, whatever becomes of it. */
  afterwards(undo: () => unknown): void {
    this.#mend.push(undo);
  }

  async mend(): Promise<void> {
    for (const undo of this.#mend.splice(0).reverse()) await undo();
  }

  /** Of one picture; its creative is held back where a gate is named. @returns the set's id. */
  async ask(campaign: string, gate?: string): Promise<string> {
    if (this.#isProfileOver) await this.#setProfile({});
    if (gate !== undefined) {
      this.world.gates.shut(gate);
      this.afterwards(() => this.world.gates.open(gate));
    }
    const asked = requestOf(this.world, { campaign, ...(gate === undefined ? {} : { gate }) });
    return (await this.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked)).id;
  }

  /** Asks, and waits until its capture stands before the gate, which has the campaign's name. */
  async held(campaign: string): Promise<string> {
    const set = await this.ask(campaign, campaign);
    await this.world.gates.reached(campaign);
    return set;
  }

  /** Of captures, until the test is over, or it is set anew; `{}` is the one that was installed. */
  async profile(change: Partial<CaptureProfile>): Promise<void> {
    await this.#setProfile(change);
    // Each change restarts the controller: the one after the test waits for the next request, which may come with one of its own.
    this.afterwards(() => {
      this.#isProfileOver = true;
    });
  }

  async #setProfile(change: Partial<CaptureProfile>): Promise<void> {
    this.#isProfileOver = false;
    await this.#profile?.set(change);
  }

  /** Waits for the STATUS, and keeps what an operator sees then. */
  async named(set: string, reason: string, timeoutMs = NAMED_MS): Promise<JobSeen> {
    const job = await this.installation.status(set, reason, timeoutMs);
    const { name } = job.metadata;
    const text = await this.seen(
      ['get', 'screenshotjob', name],
      ['get', 'screenshotjob', name, '-o', 'jsonpath={.status.message}'],
      ['get', 'pods', '-l', `tearsheet.dev/screenshotjob=${name}`],
      ['get', 'events', '--field-selector', `involvedObject.name=${name}`],
    );
    keepConsole(`status-${reason}`, text);
    return job;
  }

  /** No request is left without an end. */
  async ends(set: string, status: string): Promise<ScreenshotSet> {
    return eventually(async () => {
      const now = await this.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
      if (now.status !== status) throw new Error(`The set is ${now.status}, not ${status}: ${JSON.stringify(now)}`);
      return now;
    }, ENDED_MS);
  }

  /** With all its pictures, and told of under one id. */
  async approved(set: string): Promise<void> {
    const { screenshots } = await this.ends(set, 'approved');
    expect([...new Set(screenshots.map(({ reason, status }) => reason ?? status))]).toEqual(['uploaded']);
    await eventually(() => expect(new Set(this.world.receiver.accepted('screenshot_set.approved', set)).size).toBe(1));
  }

  /** Commands of kubectl, as they look in a terminal. */
  async seen(...commands: string[][]): Promise<string> {
    const parts: string[] = [];
    for (const args of commands) {
      const { stdout, stderr } = await this.installation.tryKubectl(args);
      parts.push(`$ kubectl ${args.join(' ')}\n${stdout}${stderr}`);
    }
    return parts.join('\n');
  }
}

/** For a whole test file. */
export function useTrial(label: string, values: Values = {}, sizes = SMALL_VALUES): Trial {
  const trial = new Trial();
  beforeAll(() => trial.begin(label, values, sizes));
  afterEach(() => trial.mend());
  afterAll(() => trial.end());
  return trial;
}
