/** The rows that several queries return and the presenters of the API take. */
import type { Selectable } from 'kysely';
import type { Schema } from './schema.ts';

export type Row<T extends keyof Schema> = Selectable<Schema[T]>;

type NameOf<T extends string, Column> = Column extends `${T}.${infer Name}` ? Name : never;
type Columns<T extends keyof Schema, C extends readonly string[]> = Pick<Row<T>, NameOf<T, C[number]> & keyof Row<T>>;

/** The columns of an ad that its record needs; the content, which may be a megabyte, is not among them. */
export const AD_COLUMNS = [
  'ads.id',
  'ads.name',
  'ads.lookup_key',
  'ads.status',
  'ads.reason',
  'ads.category',
  'ads.kind',
  'ads.campaign_id',
  'ads.created_at',
  'ads.width',
  'ads.height',
  'ads.preview_token',
  'ads.warnings',
  'ads.metadata',
] as const;
export type AdRow = Columns<'ads', typeof AD_COLUMNS>;

/** The columns of a set that its record needs. */
export const SET_COLUMNS = [
  'screenshot_sets.id',
  'screenshot_sets.name',
  'screenshot_sets.contents',
  'screenshot_sets.nth',
  'screenshot_sets.round',
  'screenshot_sets.campaign_id',
  'screenshot_sets.schedule_id',
  'screenshot_sets.status',
  'screenshot_sets.instructions',
  'screenshot_sets.metadata',
  'screenshot_sets.priority',
  'screenshot_sets.review_notes',
  'screenshot_sets.created_at',
] as const;
export type SetRow = Columns<'screenshot_sets', typeof SET_COLUMNS>;

/** The columns of a screenshot that its record needs. */
export const SCREENSHOT_COLUMNS = [
  'screenshots.id',
  'screenshots.ad_id',
  'screenshots.status',
  'screenshots.reason',
  'screenshots.site_url',
  'screenshots.device',
  'screenshots.marker_ms',
  'screenshots.image_token',
  'screenshots.page_token',
  'screenshots.captured_at',
  'screenshots.warnings',
  'screenshots.animation',
] as const;

/** A screenshot with the size of its picture, and its ad. */
export type ScreenshotRow = Columns<'screenshots', typeof SCREENSHOT_COLUMNS> & {
  readonly image_width: number | null;
  readonly image_height: number | null;
  readonly image_sha256: string | null;
  /** The group of ads with which it shares its picture. */
  readonly group_name: string | null;
  readonly ad: AdRow;
};

/** An object of an organization. */
export interface ObjectRef {
  /** A UUID, or the token of a picture. */
  readonly id: string;
  readonly organizationId: string;
}

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
