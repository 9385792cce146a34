/** Makes the JSON of list items. */
import type {
  ApprovedScreenshot,
  CampaignRecord,
  DeliveryDetailRecord,
  DeliveryRecord,
  ListedSet,
  UploadRecord,
} from '../../contract/records.ts';
import type { ShareRecord } from '../../contract/sharing.ts';
import type { TemplateRecord } from '../../contract/templates.ts';
import type { Row } from '../../db/rows.ts';
import { reviewNotes, totalsOf } from '../../domain/reviewNotes.ts';
import { shareState } from '../../domain/shareLinks.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { TemplateRow } from '../requests/templateQueries.ts';
import type { History } from '../reviews/reviewQueries.ts';
import type { ShareLinkRow } from '../sharing/shareLinkQueries.ts';
import type { UploadRow } from '../uploads/uploadQueries.ts';
import type { DeliveryRow } from '../webhooks/listDeliveries.ts';
import type { ApprovedRow } from './listApprovedScreenshots.ts';
import type { ListedSet as ListedSetRow } from './listSets.ts';
import {
  historyFields,
  keyReference,
  type OrganizationLinks,
  screenshotRecord,
  screenshotSetSummary,
} from './setJson.ts';

export function campaignRecord({ id, name, created_at }: Row<'campaigns'>): CampaignRecord {
  return { type: 'campaign', id, name, created_at: timestamp(created_at) };
}

export function listedSetRecord(row: ListedSetRow & History, place: OrganizationLinks): ListedSet {
  return {
    ...screenshotSetSummary(row, place),
    instructions: row.instructions,
    review_notes: reviewNotes(row, row.counts),
    ...historyFields(row),
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

/** @param url the address of the link, which is a secret. */
export function shareRecord(row: ShareLinkRow, url: string): ShareRecord {
  return {
    type: 'share',
    id: row.id,
    screenshot_set_id: row.set_id,
    url,
    label: row.label,
    downloads: row.downloads,
    status: shareState(row, new Date()),
    created_at: timestamp(row.created_at),
    created_by: keyReference(row.created_by, row.creator),
    expires_at: timestamp(row.expires_at),
    revoked_at: maybeTimestamp(row.revoked_at),
    last_used_at: maybeTimestamp(row.last_used_at),
    uses: row.uses,
  };
}

export function templateRecord({ id, name, body, created_at, updated_at }: TemplateRow): TemplateRecord {
  const { sites, devices, options } = body;
  return {
    ...{ type: 'template', id, name, sites: [...sites], devices: [...devices], options },
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  };
}

export function uploadRecord(row: UploadRow): UploadRecord {
  const { id, name, format, content_type, bytes, sha256, created_at, expires_at } = row;
  return {
    type: 'upload',
    id,
    name,
    format,
    content_type,
    bytes,
    sha256,
    created_at: timestamp(created_at),
    expires_at: maybeTimestamp(expires_at),
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
    webhook_endpoint_id: row.endpoint_id,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    next_attempt_at: maybeTimestamp(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
    ad_id: row.ad_id,
    screenshot_set_id: row.set_id,
    log: row.log.map(({ attempt, started_at, duration_ms, status_code, outcome, error, response_snippet }) => ({
      attempt,
      started_at: timestamp(started_at),
      duration_ms,
      status_code,
      outcome,
      error,
      response_snippet: response_snippet || null,
    })),
  };
}

/** @param row with the text of its event. */
export function deliveryDetailRecord(row: DeliveryRow & { readonly body: string }): DeliveryDetailRecord {
  const payload: DeliveryDetailRecord['payload'] = JSON.parse(row.body);
  return { ...deliveryRecord(row), payload };
}
