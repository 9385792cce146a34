/** Makes the JSON of campaigns, sets and screenshots for the API and for events. */
import { recordOf } from '../../contract/recordOf.ts';
import {
  ApprovedScreenshot,
  CampaignRecord,
  deviceRecord,
  keyReference,
  ListedSet,
  type ReviewRecord,
  ScreenshotDetailRecord,
  ScreenshotRecord,
  ScreenshotSetRecord,
  ScreenshotSetSummary,
  userReference,
} from '../../contract/records.ts';
import { candidatesOf } from '../../contract/slotCandidates.ts';
import type { Row, ScreenshotRow, SetRow } from '../../db/rows.ts';
import { imageUrl, type OrganizationLinks, setPage } from '../../domain/addresses.ts';
import type { StoredAnimation } from '../../domain/animations.ts';
import { reviewNotes, type StatusCounts, totalsOf } from '../../domain/reviewNotes.ts';
import { isFailure } from '../../domain/states.ts';
import { timestamp } from '../../domain/time.ts';
import { adSummary } from '../ads/adJson.ts';
import type { History } from './history.ts';
import type { ListedSet as ListedSetRow } from './listSets.ts';
import type { ApprovedRow } from './readScreenshots.ts';

export function screenshotRecord(row: ScreenshotRow & History, place: OrganizationLinks): ScreenshotRecord {
  return recordOf(ScreenshotRecord, row, {
    site: { url: row.site_url },
    device: deviceRecord(row.device),
    frame: { marker: row.marker_ms === null ? null : row.marker_ms / 1000 },
    image_url: imageOf(row.image_token, place),
    width: row.image_width,
    height: row.image_height,
    animation: row.animation && animationRecord(row.animation, place),
    ad: adSummary(row.ad, place),
    ...(row.group_name !== null && { group: row.group_name }),
    review: reviewRecord(row.review),
    ...(isFailure(row.status) && row.reason !== null ? { reason: row.reason } : {}),
    ...(isFailure(row.status) ? { page_image_url: imageOf(row.page_token, place) } : {}),
  });
}

const imageOf = (token: string | null, { publicUrl }: OrganizationLinks) =>
  token === null ? null : imageUrl(publicUrl, token);

function animationRecord({ seconds, fps, webp, gif }: StoredAnimation, { publicUrl }: OrganizationLinks) {
  const urls = { webp_url: imageUrl(publicUrl, webp.token, 'webp'), gif_url: imageUrl(publicUrl, gif.token, 'gif') };
  return { ...urls, seconds, fps, bytes: { webp: webp.bytes, gif: gif.bytes } };
}

/** The response of reading one screenshot. */
export function screenshotDetailRecord(
  row: ScreenshotRow & History & { readonly set_id: string; readonly approved_at: Date | null },
  record: object | undefined,
  place: OrganizationLinks,
): ScreenshotDetailRecord {
  return recordOf(ScreenshotDetailRecord, row, {
    ...screenshotRecord(row, place),
    screenshot_set_id: row.set_id,
    ...(isFailure(row.status) && { candidates: candidatesOf(record) }),
  });
}

function reviewRecord(review: History['review']): ReviewRecord | null {
  if (review === null) return null;
  const { decision, comment, key_id, key_name, user_id, user_name, created_at } = review;
  const by = { by: keyReference(key_id, key_name), by_user: userReference(user_id, user_name) };
  return { decision, comment, ...by, at: timestamp(created_at) };
}

/** The response of a screenshot request. */
export function screenshotSetSummary(
  row: Pick<SetRow, 'id' | 'campaign_id' | 'status' | 'metadata' | 'created_at' | 'priority'>,
  place: OrganizationLinks,
): ScreenshotSetSummary {
  return recordOf(ScreenshotSetSummary, row, { html_url: setPage(place, row.id) });
}

const SetHead = ScreenshotSetRecord.omit({ screenshots: true });

/** The response of reading a set, and `data.object` of its events, before the screenshots. @param counts of their statuses. */
export function screenshotSetRecord(
  row: SetRow & History,
  counts: StatusCounts,
  place: OrganizationLinks,
): Omit<ScreenshotSetRecord, 'screenshots'> {
  return recordOf(SetHead, row, derivedFields(row, counts, place));
}

export const campaignRecord = (row: Row<'campaigns'>): CampaignRecord => recordOf(CampaignRecord, row, {});

export function listedSetRecord(row: ListedSetRow & History, place: OrganizationLinks): ListedSet {
  return recordOf(ListedSet, row, { ...derivedFields(row, row.counts, place), counts: totalsOf(row.counts) });
}

function derivedFields(row: SetRow & History, counts: StatusCounts, place: OrganizationLinks) {
  return {
    html_url: setPage(place, row.id),
    review_notes: reviewNotes(row, counts),
    review: reviewRecord(row.review),
  };
}

export function approvedScreenshotRecord(row: ApprovedRow, place: OrganizationLinks): ApprovedScreenshot {
  const { kind, content } = row.ad;
  const { ad, ...screenshot } = screenshotRecord(row, place);
  return recordOf(ApprovedScreenshot, row, {
    ...screenshot,
    ad: content === undefined ? ad : { ...ad, creative: { type: kind, content } },
    screenshot_set_id: row.set_id,
  });
}
