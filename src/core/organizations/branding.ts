import type { Queryable } from '../../db/database.ts';
import { type Branding, DEFAULT_BRANDING } from '../../domain/branding.ts';

export interface Logo {
  readonly token: string;
  readonly key: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface BrandingRow extends Branding {
  readonly logo: Logo | null;
}

/** @returns the branding of the organization; the defaults if it has set none. */
export async function readBranding(db: Queryable, organizationId: string): Promise<BrandingRow> {
  const row = await db
    .selectFrom('branding')
    .leftJoin('images', 'images.token', 'branding.logo_token')
    .select(['brand_name', 'accent_color', 'footer_text', 'page_size', 'logo_token'])
    .select(['images.artifact_key', 'images.width', 'images.height'])
    .where('branding.organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) return { ...DEFAULT_BRANDING, logo: null };
  const { logo_token: token, artifact_key: key, width, height, ...branding } = row;
  const hasLogo = token !== null && key !== null && width !== null && height !== null;
  return { ...branding, logo: hasLogo ? { token, key, width, height } : null };
}

/** Replaces everything but the logo. */
export async function saveBranding(db: Queryable, organizationId: string, branding: Branding): Promise<void> {
  await save(db, organizationId, { ...branding, updated_at: new Date() });
}

/** @param token of the picture; null removes the logo. */
export async function saveLogo(db: Queryable, organizationId: string, token: string | null): Promise<void> {
  await save(db, organizationId, { logo_token: token, updated_at: new Date() });
}

async function save(
  db: Queryable,
  organizationId: string,
  values: Partial<Branding> & { logo_token?: string | null; updated_at: Date },
): Promise<void> {
  await db
    .insertInto('branding')
    .values({ ...DEFAULT_BRANDING, logo_token: null, ...values, organization_id: organizationId })
    .onConflict((on) => on.column('organization_id').doUpdateSet(values))
    .execute();
}
