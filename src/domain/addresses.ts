/** The URLs below PUBLIC_URL that the service gives to clients. `publicUrl` has no slash at its end. */

export interface OrganizationLinks {
  readonly publicUrl: string;
  /** Slug of the organization. */
  readonly slug: string;
}

export function adPage({ publicUrl, slug }: OrganizationLinks, id: string): string {
  return `${publicUrl}/o/${slug}/ads/${id}`;
}

export function setPage({ publicUrl, slug }: OrganizationLinks, id: string): string {
  return `${publicUrl}/o/${slug}/screenshot_sets/${id}`;
}

export function billingPage({ publicUrl, slug }: OrganizationLinks): string {
  return `${publicUrl}/o/${slug}/billing`;
}

/** The URL needs no key, because the token cannot be guessed. */
export function imageUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/i/${token}.png`;
}
