/** The roles of people in an organization. */
import type { Scope } from './keys.ts';

/** A scope of API keys, or `review`, a part of `write`: decides about pictures and comments. The pages check it. */
export type Permission = Scope | 'review';

const PERMISSIONS = {
  owner: ['read', 'review', 'write', 'admin'],
  manager: ['read', 'review', 'write'],
  reviewer: ['read', 'review'],
  viewer: ['read'],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof PERMISSIONS;
/** From the most to the fewest permissions. */
export const ROLES = ['owner', 'manager', 'reviewer', 'viewer'] as const satisfies readonly Role[];

/** Each role in a few words, for people who choose one. */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: 'can do everything, including keys, members and settings',
  manager: 'requests, reviews and shares pictures',
  reviewer: 'decides about pictures and comments',
  viewer: 'sees everything, but changes nothing',
};

export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS[role];
}

/** @returns the scopes of a key, and `review` with `write`. */
export function permissionsOfKey(scopes: readonly string[]): readonly string[] {
  return scopes.includes('write') ? [...scopes, 'review'] : scopes;
}
