/** Links that show the pictures of one set without a key. */

const DAY_MS = 86_400_000;
export const SHARE_DAYS_DEFAULT = 30;
export const SHARE_DAYS_MAX = 366;
export const SHARE_LABEL_MAX = 100;
/** Links of one set that are valid at the same time. */
export const SHARE_LINKS_MAX = 100;

export const SHARE_PASSWORD_MIN = 8;
export const SHARE_PASSWORD_MAX = 100;

/** `approved`: only pictures that a reviewer approved, or whose set is approved. */
export const SHARED_PICTURES = ['all', 'approved'] as const;
export type SharedPictures = (typeof SHARED_PICTURES)[number];

export const SHARE_ANSWERS = ['approved', 'changes_requested'] as const;

/** Answers and comments of clients by one link. */
export const ANSWERS_OF_LINK_MAX = 1_000;
export const COMMENTS_OF_LINK_MAX = 2_000;
export const CLIENT_NAME_MAX = 100;
/** Addresses that ask for e-mails about one link, and how often one address is asked in a day. */
export const FOLLOWERS_OF_LINK_MAX = 20;
export const FOLLOWS_PER_DAY_MAX = 5;

/** A revoked link can be restored for so long. */
export const RESTORE_MINUTES = 10;

export type ShareState = 'active' | 'expired' | 'revoked';

export function shareState(link: { expires_at: Date; revoked_at: Date | null }, now: Date): ShareState {
  if (link.revoked_at !== null) return 'revoked';
  return link.expires_at > now ? 'active' : 'expired';
}

export function canRestore(revokedAt: Date | null, now = new Date()): boolean {
  return revokedAt !== null && now.getTime() - revokedAt.getTime() < RESTORE_MINUTES * 60_000;
}

export function inDays(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

/** @returns why a link cannot expire at this time, or undefined. */
export function expiryFault(expires: Date, now: Date): string | undefined {
  if (expires <= now) return 'must be in the future.';
  return expires > inDays(now, SHARE_DAYS_MAX) ? `must be at most ${SHARE_DAYS_MAX} days from now.` : undefined;
}
