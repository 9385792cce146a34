/** The rows that several queries return and the presenters of the API take. */
import type { Selectable } from 'kysely';
import type { Schema } from './schema.ts';

export type Row<T extends keyof Schema> = Selectable<Schema[T]>;

/** The columns of an ad that its record needs; the content, which may be a megabyte, is not among them. */
export type AdRow = Omit<
  Row<'ads'>,
  | 'content'
  | 'given_width'
  | 'given_height'
  | 'source'
  | 'captured_at'
  | 'organization_id'
  | 'upload_id'
  | 'traceparent'
>;
export type SetRow = Pick<
  Row<'screenshot_sets'>,
  | 'id'
  | 'name'
  | 'campaign_id'
  | 'schedule_id'
  | 'status'
  | 'instructions'
  | 'metadata'
  | 'priority'
  | 'review_notes'
  | 'created_at'
>;
/** A screenshot with the size of its picture, and its ad. */
export type ScreenshotRow = Pick<
  Row<'screenshots'>,
  | 'id'
  | 'status'
  | 'reason'
  | 'site_url'
  | 'device'
  | 'marker_ms'
  | 'image_token'
  | 'captured_at'
  | 'warnings'
  | 'animation'
> & { readonly image_width: number | null; readonly image_height: number | null; readonly ad: AdRow };

export interface RowQuery {
  /** UUID. */
  readonly id: string;
  /** Finds the row only if it belongs to this organization. */
  readonly organizationId?: string;
}

/** The slug of the organization that owns the row. */
export interface WithSlug {
  readonly slug: string;
}
