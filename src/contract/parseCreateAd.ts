import type { Limits } from '../domain/limits.ts';
import { Faults, isObject, type JsonObject, kindOf } from './faults.ts';
import {
  type CampaignReference,
  type ParsedAd,
  type ParsedSubscriber,
  parseAd,
  parseCampaign,
  parseSubscribers,
} from './parseParts.ts';

/** The readable parts of a create-ad body. `faults` apply whatever the database contains. */
export interface ParsedCreateAd {
  readonly campaign: CampaignReference | undefined;
  readonly ad: ParsedAd | undefined;
  readonly subscribers: readonly ParsedSubscriber[];
  readonly faults: Faults;
}

export function parseCreateAd(body: JsonObject, limits: Limits): ParsedCreateAd {
  const faults = new Faults();
  const campaign = parseCampaign(body['campaign'], faults);
  const sent = body['ad'];
  if (!isObject(sent)) {
    faults.add('ad', sent === undefined ? 'is required: an object.' : `must be an object, but is ${kindOf(sent)}.`);
  }
  const ad = isObject(sent) ? parseAd(sent, '', faults) : undefined;
  return { campaign, ad, subscribers: parseSubscribers(body['subscribers'], limits, faults), faults };
}
