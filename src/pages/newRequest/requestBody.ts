/** Makes the body of a screenshot request from the form, as a client of the API would send it. */
import type { JsonObject } from '../../contract/faults.ts';
import { screenshotRequestParser } from '../../contract/readRequest.ts';
import { requestEntries } from '../../contract/requestEntries.ts';
import { type DraftAd, readDraftAds } from '../../core/ads/readAd.ts';
import { type MediaPlan, type PlanContext, readMediaPlan } from '../../core/mediaPlans/mediaPlan.ts';
import { findUpload } from '../../core/uploads/uploadQueries.ts';
import { byPage, type Combination, combinationsOf, type Planned, planCombinations } from '../../domain/combinations.ts';
import { type DeviceName, findDevice, shortDevice } from '../../domain/devices.ts';
import { readMoments } from '../../domain/markers.ts';
import { marketsOf } from '../../domain/mediaPlans.ts';
import { GROUP_ADS_MAX, slotOfText } from '../../domain/screenshotOptions.ts';
import { counted, isBlank } from '../../domain/text.ts';
import { siteFault, siteKey } from '../../domain/webAddresses.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { withValue } from '../parts/formTable.ts';
import { givenOptions, type OptionName } from '../parts/optionBoxes.ts';
import { chosenFor, ofFiles, type SitePage } from './choices.ts';
import { type Draft, FieldFaults } from './draft.ts';

/** The parts of a template and of each screenshot object. */
export interface Targets {
  /** Addresses as typed, each site once. */
  readonly sites: readonly string[];
  readonly devices: readonly string[];
  /** Seconds, each once. */
  readonly markers: readonly number[];
  readonly options: JsonObject;
}

const FAULTY_LINES_SHOWN = 10;
/** As many sites as a request may have screenshots by default. Reading more lines would block the event loop. */
const LINES_MAX = 10_000;

export function readTargets(draft: Draft, faults: FieldFaults): Targets {
  const { moments: markers, faults: ofMoments } = readMoments(draft.markers);
  for (const text of ofMoments) faults.add('markers', text);
  const slot = draft.slot.trim();
  const chosen = {
    'ad.frames': markers.map((marker) => ({ marker })),
    ...(draft.location !== '' && { 'page.location': draft.location }),
    ...(slot !== '' && { slot: slotOfText(slot) }),
  };
  const options = Object.entries(chosen).reduce(
    (body, [path, value]) => withValue(body, path, value),
    givenOptions(draft.options),
  );
  return { sites: readSites(draft.sites, faults), devices: draft.devices, markers, options };
}

/** Checks each line as the API checks the address of a site. */
function readSites(text: string, faults: FieldFaults): string[] {
  const sites = new Map<string, string>();
  let faulty = 0;
  const lines = text.split('\n');
  if (lines.length > LINES_MAX) {
    const [most, given] = [LINES_MAX, lines.length].map((number) => number.toLocaleString('en'));
    faults.add('sites', `Enter at most ${most} lines. There are ${given}.`);
  }
  for (const [index, line] of lines.slice(0, LINES_MAX).entries()) {
    if (isBlank(line)) continue;
    const fault = siteFault(line);
    const key = fault === undefined ? siteKey(line) : '';
    if (fault === undefined) sites.set(key, sites.get(key) ?? line.trim());
    else if (++faulty <= FAULTY_LINES_SHOWN) faults.add('sites', `Line ${index + 1} (${shortened(line)}) ${fault}`);
  }
  if (faulty > FAULTY_LINES_SHOWN)
    faults.add('sites', `There are faults in ${counted(faulty - FAULTY_LINES_SHOWN, 'more line')}.`);
  return [...sites.values()];
}

const shortened = (text: string) => (text.trim().length > 60 ? `${text.trim().slice(0, 60)}…` : text.trim());

/** The pictures that a draft asks for. */
export interface Wanted {
  readonly targets: Targets;
  readonly plan: MediaPlan | undefined;
  /** Undefined if there are too many combinations to look at each. */
  readonly planned: Planned | undefined;
  /** With those that are skipped. */
  readonly total: number;
}

interface DraftOf {
  readonly organizationId: string;
  readonly draft: Draft;
  readonly ads: readonly DraftAd[];
  readonly faults: FieldFaults;
  /** Only the first ad on the first site. */
  readonly isTrial?: boolean;
}

/** More combinations than this, in pictures of one request, would block the event loop. */
const LOOKED_AT = 5;

/** Reads the rows of the plan, and each ad of the draft on each site and device. Adds the faults of fields. */
export async function readWanted(options: PagesOptions, given: DraftOf): Promise<Wanted> {
  const { draft, ads, faults } = given;
  const { limits } = options;
  const targets = readTargets(draft, faults);
  const devices = targets.devices.flatMap((name) => findDevice(name)?.name ?? []);
  const { sites, markers } = targets;
  const locations = draft.location === '' ? [] : [draft.location];
  const plan = await readPlan(options, given, { devices, markers, locations });
  const pages = sites.length * devices.length;
  const ofPlan = plan?.combinations ?? [];
  const total = ofPlan.length + ads.length * pages * Math.max(1, markers.length);
  if (total > LOOKED_AT * limits.screenshots) return { targets, plan, planned: undefined, total };
  const wanted = [...ofPlan, ...combinationsOf({ ads, sites, devices, markers, locations })];
  const isChecked = (name: OptionName) => draft.options.includes(name);
  const fit = draft.tryAll ? null : { allowScaling: isChecked('allow_scaling'), fullPage: isChecked('full_page') };
  return { targets, plan, planned: planCombinations(wanted, fit), total };
}

/** @returns the ads that the draft wants on this page and device. */
export async function adsOn(
  options: PagesOptions,
  { organizationId }: Viewer,
  draft: Draft,
  { site, device }: SitePage,
): Promise<DraftAd[]> {
  const { db } = options.store;
  const ads = await readDraftAds(db, { organizationId, ids: draft.adIds });
  const { planned } = await readWanted(options, { organizationId, draft, ads, faults: new FieldFaults() });
  const key = siteKey(site);
  const here = planned?.combinations.filter((one) => one.device === device && siteKey(one.site) === key) ?? [];
  return readDraftAds(db, { organizationId, ids: [...new Set(here.map(({ ad }) => ad.id))] });
}

export const UNKNOWN_COLUMNS =
  'Above the plan, choose which column has the sites, and which one the ads or their sizes.';

async function readPlan(
  { store, locations }: PagesOptions,
  { organizationId, draft, ads, faults }: DraftOf,
  usual: Pick<PlanContext, 'devices' | 'markers' | 'locations'>,
): Promise<MediaPlan | undefined> {
  if (draft.plan === null) return undefined;
  const { rows, headings } = draft.plan;
  const { site, ad, size, device } = headings.columns;
  if (site === undefined || (ad ?? size ?? device) === undefined) {
    faults.add('plan', UNKNOWN_COLUMNS);
    return undefined;
  }
  const adIds = ads.map(({ id }) => id);
  const markets = locations && marketsOf(locations.all);
  return readMediaPlan(store.db, { organizationId, table: rows, headings, adIds, markets, ...usual });
}

/** The name of the group, which pages and records show. */
export const ALL_ADS = 'All ads';

function requestBody(draft: Draft, options: JsonObject, combinations: readonly Combination[]): JsonObject {
  const partsOf = (one: Combination) => {
    const { ad, location } = one;
    const { file, slot } = chosenFor(draft, one, ad.size);
    const { animation, ...others } = options;
    const chosen = {
      ...others,
      page: { ...(options['page'] ?? {}), ...(location !== undefined && { location }) },
      // A still ad would only get a warning that nothing moves.
      ...(!ad.still && animation !== undefined && { animation }),
      ...(slot && { slot }),
    };
    return { options: chosen, page: file && { upload_id: file.id } };
  };
  return {
    campaign: { name: draft.campaign },
    screenshot_requests: requestEntries(combinations, partsOf, draft.together ? ALL_ADS : undefined),
    ...(!isBlank(draft.setName) && { name: draft.setName }),
    ...(!isBlank(draft.instructions) && { instructions: draft.instructions }),
  };
}

/** Adds all faults that are known without sending the request. @returns its body. */
export async function checkDraft(options: PagesOptions, given: DraftOf): Promise<JsonObject> {
  const { limits } = options;
  const { draft, ads, faults, isTrial = false } = given;
  const { targets, plan, planned, total } = await readWanted(options, given);
  if (ads.length === 0 && draft.plan === null) faults.add('ads', 'Add at least one ad.');
  for (const ad of ads) addAdFaults(ad, faults);
  const hasSites = targets.sites.length > 0 || draft.plan !== null;
  if (!hasSites && faults.of('sites').length === 0) faults.add('sites', 'Enter at least one site.');
  const isOfPlan = targets.sites.length === 0 && draft.plan?.headings.columns.device !== undefined;
  if (targets.devices.length === 0 && !isOfPlan) faults.add('devices', 'Choose at least one device.');
  const rows = new Set((plan?.faults ?? []).map(({ row }) => row)).size;
  if (rows > 0) faults.add('plan', `Correct ${counted(rows, 'row')} of the plan.`);
  addParserFaults(options, targets, given);
  const all = planned?.combinations ?? [];
  const [first] = all;
  const combinations = isTrial ? all.filter(({ ad, site }) => ad.id === first?.ad.id && site === first.site) : all;
  if (draft.together) addGroupFault(combinations, faults);
  const count = planned === undefined ? total : combinations.length;
  if (count > limits.screenshots) {
    const [counted, most] = [count, limits.screenshots].map((number) => number.toLocaleString('en'));
    faults.add('form', `This request would have ${counted} pictures. The maximum is ${most}: send several requests.`);
  }
  if (count === 0 && !faults.any) faults.add('form', NOTHING_FITS);
  await addFileFaults(options, given, combinations);
  return requestBody(draft, targets.options, combinations);
}

/** @returns the number of pictures that people see: all ads of a page are in one, if the draft asks for that. */
export function countPictures({ together }: Draft, { planned, total }: Pick<Wanted, 'planned' | 'total'>): number {
  if (planned === undefined) return total;
  return together ? byPage(planned.combinations).size : planned.combinations.length;
}

function addGroupFault(combinations: readonly Combination[], faults: FieldFaults): void {
  const most = Math.max(
    0,
    ...[...byPage(combinations).values()].map((ofPage) => new Set(ofPage.map(({ ad }) => ad.id)).size),
  );
  if (most > GROUP_ADS_MAX)
    faults.add('together', `One picture can show at most ${GROUP_ADS_MAX} ads, and there are ${most}.`);
}

const NOTHING_FITS =
  'No ad fits a device, so there would be no picture. Choose other devices, or the option to scale ads down.';

/** A screenshot needs a place for ads of each size, and files that no set shows are not kept for long. */
async function addFileFaults(
  { store }: PagesOptions,
  { organizationId, draft, faults }: DraftOf,
  combinations: readonly Combination[],
): Promise<void> {
  const used = new Map<string, string>();
  for (const { site, device, ad } of ofFiles(draft, combinations)) {
    const { file, isUnplaced } = chosenFor(draft, { site, device }, ad.size);
    if (file) used.set(file.id, file.name);
    const size = ad.size === null ? 'ads' : `ads of ${ad.size.width}×${ad.size.height}`;
    if (isUnplaced)
      faults.add('slots', `Choose the place of ${size} in the screenshot of ${site} on ${shortDevice(device)}.`);
  }
  for (const [id, name] of used)
    if ((await findUpload(store.db, { id, organizationId })) === undefined)
      faults.add('slots', `The file “${name}” was deleted or has expired: upload it again, or remove it.`);
}

function addAdFaults({ name, status }: DraftAd, faults: FieldFaults): void {
  if (status !== 'pending' && status !== 'uploaded')
    faults.add('ads', `“${name}” could not be rendered: remove it, or correct it and add it again.`);
}

/** All combinations have the same options and devices, so one of each finds the same faults as all of them. */
function addParserFaults({ limits }: PagesOptions, targets: Targets, { draft, faults }: DraftOf): void {
  const sites = [targets.sites[0] ?? 'https://site.example/'];
  const devices = (targets.devices.length === 0 ? ['desktop'] : targets.devices) as DeviceName[];
  const ads = [{ id: draft.key, size: null, still: false }];
  const ofEach = [...combinationsOf({ ads, sites, devices, markers: targets.markers })];
  faults.addErrors(screenshotRequestParser(limits)(requestBody(draft, targets.options, ofEach)).faults.errors);
}
