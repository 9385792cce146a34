/** At most 63 lower-case letters, digits and hyphens, as in the check constraint of the table. */
export const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

export const UUID_PATTERN = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const UUID = new RegExp(`^${UUID_PATTERN}$`);

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
