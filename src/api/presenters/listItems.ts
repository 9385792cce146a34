/** Makes the JSON of list items. */
import type { Selectable } from 'kysely';
import type { ApprovedScreenshot, CampaignRecord, DeliveryRecord, ListedSet } from '../../contract/records.ts';
import { reviewNotes, totalsOf } from '../../domain/reviewNotes.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { CampaignTable } from '../../store/database/schema.ts';
import type { DeliveryRow } from '../../store/deliveries/listDeliveries.ts';
import type { ApprovedRow } from '../../store/screenshots/listApprovedScreenshots.ts';
import type { ListedSetRow } from '../../store/sets/listSets.ts';
import { type OrganizationLinks, screenshotRecord, screenshotSetSummary } from './records.ts';

export function campaignRecord({ id, name, created_at }: Selectable<CampaignTable>): CampaignRecord {
  return { type: 'campaign', id, name, created_at: timestamp(created_at) };
}

export function listedSetRecord(row: ListedSetRow, place: OrganizationLinks): ListedSet {
  return {
    ...screenshotSetSummary(row, place),
    instructions: row.instructions,
    review_notes: reviewNotes(row, row.counts),
    counts: totalsOf(row.counts),
  };
}

export function approvedScreenshotRecord(row: ApprovedRow, place: OrganizationLinks): ApprovedScreenshot {
  const { ad, ...record } = screenshotRecord(row, place);
  return {
    type: 'screenshot',
    ...record,
    ad: row.creative === undefined ? ad : { ...ad, creative: row.creative },
    screenshot_set_id: row.set_id,
    approved_at: timestamp(row.approved_at),
  };
}

export function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return {
    type: 'delivery',
    id: row.id,
    event_id: `evt_${row.event_id}`,
    topic: row.topic,
    channel: row.channel,
    target: row.target,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: maybeTimestamp(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
    ad_id: row.ad_id,
    screenshot_set_id: row.set_id,
    log: row.log.map(({ attempt, started_at, duration_ms, status_code, outcome, error }) => ({
      attempt,
      started_at: timestamp(started_at),
      duration_ms,
      status_code,
      outcome,
      error,
    })),
  };
}
