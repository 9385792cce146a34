/** Makes the body of a screenshot request from the form, as a client of the API would send it. */
import type { JsonObject } from '../../contract/faults.ts';
import { type ScreenshotRequestParser, screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import type { DraftAd } from '../../core/ads/readAd.ts';
import { campaignName } from '../../domain/campaigns.ts';
import { isMarker, MARKER_MAX_SECONDS, markerMs } from '../../domain/markers.ts';
import { isBlank } from '../../domain/text.ts';
import { siteFault, siteKey } from '../../domain/webAddresses.ts';
import type { PagesOptions } from '../context.ts';
import type { Draft, FieldFaults } from './draft.ts';

interface ToParse {
  readonly draft: Draft;
  readonly targets: Targets;
  readonly faults: FieldFaults;
}

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
/** As many sites as a request may have screenshots by default. Reading more lines would hold the event loop. */
const LINES_MAX = 10_000;

export function readTargets(draft: Draft, faults: FieldFaults): Targets {
  const markers = readMarkers(draft.markers, faults);
  const slot = draft.slot.trim();
  const options = {
    ad: { frames: markers.map((marker) => ({ marker })), allow_scaling: draft.allowScaling },
    ...(slot !== '' && { slot: /^\d+$/.test(slot) ? { index: Number(slot) } : { selector: slot } }),
    page: { other_ads: draft.keepOtherAds ? 'keep' : 'hide', full_page: draft.fullPage },
  };
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
  if (faulty > FAULTY_LINES_SHOWN) faults.add('sites', `${faulty - FAULTY_LINES_SHOWN} more lines have faults.`);
  return [...sites.values()];
}

function readMarkers(text: string, faults: FieldFaults): number[] {
  const markers = new Map<number, number>();
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const seconds = Number(part);
    if (!Number.isFinite(seconds)) faults.add('markers', `${shortened(part)} is not a number of seconds.`);
    else if (!isMarker(seconds)) faults.add('markers', `${part} is not between 0 and ${MARKER_MAX_SECONDS} seconds.`);
    else markers.set(markerMs(seconds), seconds);
  }
  return [...markers.values()];
}

const shortened = (text: string) => (text.trim().length > 60 ? `${text.trim().slice(0, 60)}…` : text.trim());

/** The number of pictures of a request. The service merges what is the same in the same way. */
export function countPictures(creatives: number, { sites, devices, markers }: Targets): number {
  return creatives * sites.length * devices.length * Math.max(1, markers.length);
}

function requestBody(draft: Draft, { sites, devices, options }: Targets): JsonObject {
  const screenshots = sites.flatMap((url) => devices.map((name) => ({ site: { url }, device: { name }, options })));
  return {
    campaign: { name: draft.campaign },
    screenshot_requests: draft.adIds.map((id) => ({ ad: { id }, screenshots })),
    ...(!isBlank(draft.instructions) && { instructions: draft.instructions }),
  };
}

/** Adds all faults that are known without sending the request. @returns its body. */
export function checkDraft(
  { limits }: PagesOptions,
  { draft, ads, faults }: { draft: Draft; ads: readonly DraftAd[]; faults: FieldFaults },
) {
  const targets = readTargets(draft, faults);
  if (ads.length === 0) faults.add('creatives', 'Add at least one creative.');
  for (const ad of ads) addAdFaults(ad, draft, faults);
  if (targets.sites.length === 0 && faults.of('sites').length === 0) faults.add('sites', 'Enter at least one site.');
  if (targets.devices.length === 0) faults.add('devices', 'Choose at least one device.');
  const body = requestBody(draft, targets);
  const count = countPictures(ads.length, targets);
  if (count > limits.screenshots) {
    const [given, most] = [count, limits.screenshots].map((number) => number.toLocaleString('en'));
    faults.add(
      'form',
      `One request gives at most ${most} pictures, and these would be ${given}: send several requests.`,
    );
    return body;
  }
  addParserFaults({ draft, targets, faults }, screenshotRequestParser(limits));
  return body;
}

function addAdFaults({ name, status, campaign, source }: DraftAd, draft: Draft, faults: FieldFaults): void {
  if (status !== 'pending' && status !== 'uploaded')
    faults.add('creatives', `“${name}” could not be rendered: remove it, or correct it and add it again.`);
  if (source !== 'draft' && campaign !== campaignName(draft.campaign))
    faults.add('creatives', `“${name}” is an ad of the campaign “${campaign}”: choose that campaign, or remove it.`);
}

/** All creatives have the same sites and devices, so one of each finds the same faults as all of them. */
function addParserFaults({ draft, targets, faults }: ToParse, parse: ScreenshotRequestParser): void {
  const [site = 'https://site.example/'] = targets.sites;
  const devices = targets.devices.length === 0 ? ['desktop'] : targets.devices;
  const [adId = draft.key] = draft.adIds;
  const body = requestBody({ ...draft, adIds: [adId] }, { ...targets, sites: [site], devices });
  faults.addErrors(parse(body).faults.errors);
}
