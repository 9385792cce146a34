/** Data for functions that render parts of pages. */
import type { ScreenshotRow } from '../../../src/db/rows.ts';
import type { Viewer } from '../../../src/pages/parts/context.ts';
import { pathsOf } from '../../../src/pages/parts/paths.ts';
import type { ReviewedPicture, SetFacts } from '../../../src/pages/pictures/pictures.ts';

export const PATHS = pathsOf('https://shots.example', 'demo');
const CREATED = new Date('2026-11-21T09:30:05Z');

/** A person who may do everything. */
export const WRITER: Viewer = {
  ...{ organizationId: 'org', slug: 'demo', disabled: false, scopes: ['read', 'review', 'write', 'admin'] },
  ...{ canWrite: true, canReview: true, keyId: 'key', person: undefined, userId: null, name: 'first key' },
  formToken: 'token',
};
export const READER: Viewer = { ...WRITER, scopes: ['read'], canWrite: false, canReview: false };

export function adRow(more: Partial<ScreenshotRow['ad']> = {}): ScreenshotRow['ad'] {
  return {
    ...{ id: 'ad', name: 'Summer sale 300×250', lookup_key: null, status: 'uploaded', reason: null, kind: 'url' },
    ...{ category: 'display', campaign_id: 'campaign', created_at: CREATED, width: 300, height: 250 },
    ...{ preview_token: null, warnings: [], metadata: {} },
    ...more,
  };
}

let pictures = 0;

/** A picture of a news page on a desktop, which nobody reviewed. */
export function picture(more: Partial<ReviewedPicture> = {}): ReviewedPicture {
  const id = more.id ?? `shot-${pictures++}`;
  const hasPicture = (more.status ?? 'uploaded') === 'uploaded';
  return {
    ...{ id, shownId: id, versionIds: [id], status: 'uploaded', reason: null, marker_ms: null, animation: null },
    ...{
      site_url: 'https://news.example/front',
      device: 'desktop',
      page_token: null,
      warnings: [],
      ad_id: 'ad',
      ad: adRow(),
    },
    ...{ image_token: hasPicture ? `token-${id}` : null, captured_at: hasPicture ? CREATED : null },
    ...{ image_width: hasPicture ? 1440 : null, image_height: hasPicture ? 900 : null },
    ...{ image_sha256: hasPicture ? id : null, group_name: null },
    ...{ review: null, answer: undefined, openThreads: 0 },
    ...more,
  };
}

export function setFacts(
  views: readonly ReviewedPicture[],
  { set, ...more }: Partial<Omit<SetFacts, 'set'>> & { readonly set?: Partial<SetFacts['set']> } = {},
): SetFacts {
  const row: SetFacts['set'] = {
    ...{ id: 'set', organization_id: 'org', campaign_id: 'campaign', campaign: 'Spring', name: null },
    ...{ status: 'approved', created_at: CREATED, settled_at: CREATED, cancel_requested_at: null },
    ...{ first_picture_at: null, approved_at: null, traceparent: null, contents: null, nth: 1, round: 1 },
    ...{ instructions: null, review_notes: null, metadata: {}, priority: 'normal', schedule_id: null },
    ...{ retake_of: null, retaken_by: null, original_id: null, review: null },
    ...set,
  };
  return { set: row, views, decisions: new Map(), retakes: [], ...more };
}
