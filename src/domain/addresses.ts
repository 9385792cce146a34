/** The URLs below PUBLIC_URL that the service gives to clients. `publicUrl` has no slash at its end. */
import type { AnimationFormat } from './animations.ts';

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

export function screenshotPage({ publicUrl, slug }: OrganizationLinks, id: string): string {
  return `${publicUrl}/o/${slug}/screenshots/${id}`;
}

export function schedulePage({ publicUrl, slug }: OrganizationLinks, id: string): string {
  return `${publicUrl}/o/${slug}/schedules/${id}`;
}

export function billingPage({ publicUrl, slug }: OrganizationLinks): string {
  return `${publicUrl}/o/${slug}/billing`;
}

/** The page that a share link opens. @param token see `shareToken`. */
export function sharePage(publicUrl: string, token: string): string {
  return `${publicUrl}/s/${token}`;
}

/** A picture below the page or the path of a share link. */
export function picturePath(share: string, { image_token }: { readonly image_token: string }): string {
  return `${share}/pictures/${encodeURIComponent(image_token)}`;
}

/** The URL needs no key, because the token cannot be guessed. */
export function imageUrl(publicUrl: string, token: string, format: AnimationFormat | 'png' = 'png'): string {
  return `${publicUrl}/i/${token}.${format}`;
}

/** As {@link imageUrl}, for the file of an export. */
export function exportUrl(publicUrl: string, { token, file_name }: { token: string; file_name: string }): string {
  return `${publicUrl}/e/${token}/${file_name}`;
}
