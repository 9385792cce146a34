/** Checks the whole form before it is sent. */
import { type ScreenshotRequestParser, screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import type { DraftAd } from '../../core/ads/readAd.ts';
import { campaignName } from '../../domain/campaigns.ts';
import type { PagesOptions } from '../context.ts';
import type { Draft } from './draft.ts';
import type { FieldFaults } from './fieldFaults.ts';
import { countPictures, readTargets, requestBody, type Targets } from './requestBody.ts';

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

interface ToParse {
  readonly draft: Draft;
  readonly targets: Targets;
  readonly faults: FieldFaults;
}

/** All creatives have the same sites and devices, so one of each finds the same faults as all of them. */
function addParserFaults({ draft, targets, faults }: ToParse, parse: ScreenshotRequestParser): void {
  const [site = 'https://site.example/'] = targets.sites;
  const devices = targets.devices.length === 0 ? ['desktop'] : targets.devices;
  const [adId = draft.key] = draft.adIds;
  const body = requestBody({ ...draft, adIds: [adId] }, { ...targets, sites: [site], devices });
  faults.addErrors(parse(body).faults.errors);
}
