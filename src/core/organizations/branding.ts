import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import { type Branding, DEFAULT_BRANDING, type Logo } from '../../domain/branding.ts';

export interface BrandingRow extends Branding {
  readonly logo: Logo | null;
}

/** The language and the time zone of what its readers get. */
export type Locale = Pick<Row<'organizations'>, 'language' | 'time_zone'>;

/** @returns the branding of the organization; the defaults if it has set none. */
export async function readBranding(db: Queryable, organizationId: string): Promise<BrandingRow & Locale> {
  const row = await db
    .selectFrom('organizations as o')
    .leftJoin('branding', 'branding.organization_id', 'o.id')
    .leftJoin('images', 'images.token', 'branding.logo_token')
    .select(['brand_name', 'accent_color', 'footer_text', 'page_size', 'logo_token'])
    .select(['images.artifact_key', 'images.width', 'images.height', 'o.language', 'o.time_zone'])
    .where('o.id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const { logo_token: token, artifact_key: key, width, height, ...branding } = row;
  const hasLogo = token !== null && key !== null && width !== null && height !== null;
  const { accent_color, page_size } = DEFAULT_BRANDING;
  return {
    ...branding,
    accent_color: branding.accent_color ?? accent_color,
    page_size: branding.page_size ?? page_size,
    logo: hasLogo ? { token, key, width, height } : null,
  };
}

/** Absent fields stay, or get their defaults if the organization has no branding yet. A logo is the token of its picture. */
export async function saveBranding(
  db: Queryable,
  organizationId: string,
  given: Partial<Branding> & { readonly logo_token?: string | null },
): Promise<void> {
  const values = { ...given, updated_at: new Date() };
  await db
    .insertInto('branding')
    .values({ ...DEFAULT_BRANDING, logo_token: null, ...values, organization_id: organizationId })
    .onConflict((on) => on.column('organization_id').doUpdateSet(values))
    .execute();
}
