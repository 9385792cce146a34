/** Pictures, each under a token that nobody can guess. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { FrameFacts } from '../../domain/frames.ts';
import type { PictureSize } from '../../domain/thumbnails.ts';

export interface NewImage {
  readonly organizationId: string;
  readonly key: string;
  /** Default: that of a PNG. */
  readonly contentType?: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
}

/** Stores pictures to be served. @returns a token for each, in order, that nobody can guess (192 bits). */
export async function insertImages(transaction: Queryable, images: readonly NewImage[]): Promise<string[]> {
  const rows = images.map(({ organizationId, key, contentType = 'image/png', sha256, bytes, width, height }) => ({
    token: randomBytes(24).toString('base64url'),
    organization_id: organizationId,
    artifact_key: key,
    content_type: contentType,
    ...{ sha256, bytes, width, height },
  }));
  if (rows.length > 0) await transaction.insertInto('images').values(rows).execute();
  return rows.map(({ token }) => token);
}

/** @returns the tokens of those pictures of pages that earlier failures of the set have stored, by their keys. */
export async function findPageImages(
  db: Queryable,
  setId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('screenshots as s')
    .innerJoin('images as i', 'i.token', 's.page_token')
    .select(['i.artifact_key', 'i.token'])
    .where('s.set_id', '=', setId)
    .where((eb) => eb('i.artifact_key', '=', eb.fn.any(eb.val([...keys]))))
    .execute();
  return new Map(rows.map(({ artifact_key, token }) => [artifact_key, token]));
}

/** @returns the pixels of pictures, by their tokens. */
export async function readImageSizes(db: Queryable, tokens: readonly string[]): Promise<Map<string, PictureSize>> {
  const rows = await db
    .selectFrom('images')
    .select(['token', 'width', 'height'])
    .where((eb) => eb('token', '=', eb.fn.any(eb.val([...tokens]))))
    .execute();
  return new Map(rows.map(({ token, ...size }) => [token, size]));
}

export type Image = Row<'images'> & { readonly is_disabled: boolean };

/** The picture that an unguessable token stands for. */
export async function findImage(db: Queryable, token: string): Promise<Image | undefined> {
  return db
    .selectFrom('images')
    .innerJoin('organizations as o', 'o.id', 'images.organization_id')
    .selectAll('images')
    .select(sql<boolean>`o.disabled_at is not null`.as('is_disabled'))
    .where('images.token', '=', token)
    .executeTakeFirst();
}

/** Call it after storing a file made from a picture: the removal of the picture may have missed the file. */
export async function isRemoved(db: Queryable, token: string): Promise<boolean> {
  const row = await db.selectFrom('images').select('token').where('token', '=', token).executeTakeFirst();
  return row === undefined;
}

/** @returns the place of the ad in the picture of a screenshot, in device pixels; undefined if no record names it. */
export async function findAdBox(db: Queryable, token: string): Promise<{ y: number; height: number } | undefined> {
  const row = await db
    .selectFrom('screenshots')
    .select([
      sql<number | null>`(record #>> '{ad_box,y}')::double precision`.as('y'),
      sql<number | null>`(record #>> '{ad_box,height}')::double precision`.as('height'),
    ])
    .where('image_token', '=', token)
    .executeTakeFirst();
  const { y = null, height = null } = row ?? {};
  return y === null || height === null ? undefined : { y, height };
}

/** @returns undefined if the token stands for a picture that is not a screenshot, for example a preview of an ad. */
export async function findFramedImage(db: Queryable, token: string): Promise<FrameFacts | undefined> {
  const { rows } = await sql<FrameFacts>`
    select s.device, coalesce((s.record->>'ratio')::float8, 1) as ratio,
      coalesce(s.record->>'final_url', s.site_url) as address, coalesce(s.captured_at, i.created_at) as "capturedAt"
    from screenshots s join images i on i.token = s.image_token
    where s.image_token = ${token}
    order by s.id limit 1`.execute(db);
  return rows[0];
}
