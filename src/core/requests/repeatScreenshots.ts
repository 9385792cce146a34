/** Takes screenshots again. The new set goes the same way as one of a screenshot request. */
import { Faults } from '../../contract/faults.ts';
import type { ParsedEntry, ParsedScreenshotRequest, ParsedSubscriber } from '../../contract/readRequest.ts';
import type { ParsedRetake } from '../../contract/retakes.ts';
import type { Queryable } from '../../db/database.ts';
import { notifyAll } from '../../db/notifications.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, invalid, unknownId } from '../../domain/failure.ts';
import type { Limits } from '../../domain/limits.ts';
import { expandScreenshots, type Retaken, type WantedScreenshots } from '../../domain/screenshots.ts';
import { activeSpan } from '../../observe/tracing.ts';
import { readSubscribersAsGiven } from '../journal/subscriberRows.ts';
import { lockScreenshot } from '../sets/readScreenshots.ts';
import { type RetakeSource, readRetakeSources } from '../sets/readVersions.ts';
import { type LockedSet, lockSet } from '../sets/setStatus.ts';
import { type AcceptanceContext, acceptScreenshotRequest } from './acceptScreenshotRequest.ts';

/** `duplicate`: the new set is no retake, so the pages of the old one do not change. */
export type RepeatKind = 'retake' | 'duplicate';

interface Repeat {
  readonly organizationId: string;
  readonly actor: Actor;
  /** The changes, and which screenshots of a set. */
  readonly wish: ParsedRetake;
}

interface RepeatOfSet extends Repeat {
  readonly setId: string;
  readonly kind: RepeatKind;
  /** Leaves out what a retake of the same moment takes already. */
  readonly onlyOpenFailures?: boolean;
}

/** @returns the id of the new set. @throws Failure: 404, 409 if the set is not finished or nothing is left to repeat, 422 with all faults. */
export async function repeatSet(
  tx: Queryable,
  { organizationId, setId, kind, wish, actor, onlyOpenFailures = false }: RepeatOfSet,
  context: AcceptanceContext,
): Promise<string> {
  const set = await lockSource(tx, organizationId, setId);
  const sources = await readRetakeSources(tx, set.id);
  const found = choose(sources, wish);
  const chosen = onlyOpenFailures ? openFailures(found) : found;
  return repeat(tx, { organizationId, wish, actor, set, sources, chosen, isRetake: kind === 'retake' }, context);
}

/** Takes one screenshot again, in a set of its own. @returns the id of that set. @throws Failure as repeatSet. */
export async function repeatScreenshot(
  tx: Queryable,
  { organizationId, screenshotId, wish, actor }: Repeat & { readonly screenshotId: string },
  context: AcceptanceContext,
): Promise<string> {
  const found = await lockScreenshot(tx, { organizationId, screenshotId });
  if (found === undefined) throw unknownId();
  const set = await lockSource(tx, organizationId, found.set_id);
  const sources = await readRetakeSources(tx, set.id);
  const chosen = sources.filter(({ id }) => id === screenshotId);
  return repeat(tx, { organizationId, wish, actor, set, sources, chosen, isRetake: true }, context);
}

interface Source {
  readonly set: LockedSet;
  /** All screenshots of the set. */
  readonly sources: readonly RetakeSource[];
  readonly chosen: readonly RetakeSource[];
  readonly isRetake: boolean;
}

/** @returns the chosen screenshots, and those that are in one picture with them. */
function withGroups({ sources, chosen }: Pick<Source, 'sources' | 'chosen'>): readonly RetakeSource[] {
  const keys = new Set(chosen.map(pictureOf));
  return sources.filter((one) => keys.has(pictureOf(one)));
}

type Grouped = Pick<RetakeSource, 'id' | 'siteKey' | 'device' | 'options'>;

function pictureOf({ id, siteKey, device, options: { group, location } }: Grouped): string {
  return group === null ? id : JSON.stringify([group, siteKey, device, location]);
}

async function repeat(tx: Queryable, repeated: Repeat & Source, context: AcceptanceContext): Promise<string> {
  const { organizationId, set, chosen, wish, actor, isRetake } = repeated;
  activeSpan().link(set.traceparent);
  const pictures = withGroups(repeated);
  addPictureFaults(wish, { chosen, pictures }, context.limits);
  const parsed = await requestOf(tx, { ...repeated, pictures });
  const retakeOf: Retaken | undefined = isRetake ? { id: set.id, originalId: set.original_id ?? set.id } : undefined;
  const { id } = await acceptScreenshotRequest(tx, { organizationId, parsed, retakeOf, actor }, context);
  // The pages of these sets follow the retake from now on.
  if (retakeOf !== undefined) await notifyAll(tx, [{ set: retakeOf.id }, { set: retakeOf.originalId }]);
  return id;
}

/** The lock makes simultaneous retakes of one set see each other. @throws Failure: 404, and 409 while it is captured. */
async function lockSource(tx: Queryable, organizationId: string, setId: string): Promise<LockedSet> {
  const set = await lockSet(tx, { organizationId, setId });
  if (set === undefined) throw unknownId();
  if (set.status !== 'draft' && set.status !== 'capturing') return set;
  throw conflict('status', `is ${set.status}, so the set is not finished: wait until it is, or cancel it.`);
}

/** @throws Failure: 409 if nothing is left to take again, 422 for ids of other sets. */
function choose(pictures: readonly RetakeSource[], { which, screenshotIds }: ParsedRetake): readonly RetakeSource[] {
  if (screenshotIds !== undefined) return chooseById(pictures, screenshotIds);
  if (which === 'all') return pictures;
  return openFailures(pictures);
}

/** @throws Failure (409) */
function openFailures(pictures: readonly RetakeSource[]): readonly RetakeSource[] {
  const failed = pictures.filter(
    ({ status, isReplaced }) => status !== 'uploaded' && status !== 'canceled' && !isReplaced,
  );
  if (failed.length > 0) return failed;
  throw conflict('which', 'finds no failed screenshot that was not taken again since.');
}

function chooseById(pictures: readonly RetakeSource[], ids: readonly string[]): readonly RetakeSource[] {
  const known = new Set(pictures.map(({ id }) => id));
  const faults = new Faults();
  for (const [index, id] of ids.entries())
    if (!known.has(id)) faults.add(`screenshot_ids.${index}`, 'is not the id of a screenshot of this set.');
  if (faults.any) throw invalid(faults.errors);
  const wanted = new Set(ids);
  return pictures.filter(({ id }) => wanted.has(id));
}

function addPictureFaults(
  { faults, site, device, slotIndex }: ParsedRetake,
  { chosen, pictures }: Pick<Repeated, 'chosen' | 'pictures'>,
  limits: Limits,
): void {
  if (pictures.length > limits.screenshots) {
    faults.add(
      'screenshot_ids',
      `must name at most ${limits.screenshots.toLocaleString('en')} screenshots of the set.`,
    );
  }
  // On another page or device, the candidates are other ones.
  if (slotIndex === undefined || site !== undefined || device !== undefined) return;
  const fewest = Math.min(...chosen.map(({ candidates }) => candidates ?? Number.POSITIVE_INFINITY));
  if (slotIndex <= fewest) return;
  faults.add('options.slot.index', `must be at most ${fewest}, the number of candidates in the record.`);
}

interface Repeated extends Source {
  readonly wish: ParsedRetake;
  readonly pictures: readonly RetakeSource[];
}

/** @returns the request that asks for these screenshots with the changes. */
async function requestOf(
  tx: Queryable,
  { set, chosen, pictures, wish, isRetake }: Repeated,
): Promise<ParsedScreenshotRequest> {
  const { faults } = wish;
  const screenshots = pictures.map((picture) => ({
    adId: picture.adId,
    screenshots: [wanted(picture, chosen.includes(picture) ? wish : withoutSlot(wish), isRetake)],
  }));
  const expanded = expandScreenshots(screenshots, pictures.length);
  const groupsAfter = new Set(expanded.map((one, at) => pictureOf({ id: `${at}`, ...one })));
  // Two pictures of a group may also become one, which may then have too many ads or two views of the page.
  if (expanded.length < pictures.length || groupsAfter.size < new Set(pictures.map(pictureOf)).size) {
    faults.add(
      wish.site === undefined ? 'device.name' : 'site.url',
      'makes several screenshots the same: take them again one by one.',
    );
  }
  const subscribers: readonly ParsedSubscriber[] = wish.subscribers ?? (await readSubscribersAsGiven(tx, set.id));
  const entries = screenshots.map(
    ({ adId, screenshots }): ParsedEntry => ({
      path: 'screenshots',
      ad: { id: adId, lookupKey: undefined, content: undefined, faults: {} },
      screenshots,
    }),
  );
  const instructions = wish.instructions ?? set.instructions;
  const metadata = wish.metadata ?? set.metadata;
  return {
    campaign: { id: set.campaign_id },
    entries,
    subscribers,
    name: null,
    instructions,
    metadata,
    priority: undefined,
    faults,
  };
}

/** The other ads of a group keep their slots. */
function withoutSlot(wish: ParsedRetake): ParsedRetake {
  return { ...wish, changedOptions: (own) => ({ ...wish.changedOptions(own), slot: own.slot }) };
}

function wanted(picture: RetakeSource, wish: ParsedRetake, isRetake: boolean): WantedScreenshots {
  const { id, originalId, siteUrl, siteKey, device, markerMs } = picture;
  const site = wish.site ?? { url: siteUrl, key: siteKey };
  // Cookies and headers are for one site, so another one must not get them.
  const isSameSite = new URL(site.key).origin === new URL(siteKey).origin;
  const { options, access } = isSameSite ? picture : { options: { ...picture.options, access: null }, access: null };
  return {
    site,
    device: wish.device ?? device,
    markers: markerMs === null ? [] : [markerMs],
    options: wish.changedOptions(options),
    access: wish.access ?? access,
    ...(isRetake && { retakeOf: { id, originalId } }),
  };
}
