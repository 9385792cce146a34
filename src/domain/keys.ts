/** API keys: `ts_live_<8-char id>_<43-char secret>`. */
export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
}

export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const KEY_NAME_MAX = 100;
/** Keys of one organization that are valid at the same time. */
export const KEYS_MAX = 200;

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(key: { expires_at: Date | null; revoked_at: Date | null }, now: Date): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at === null || key.expires_at > now ? 'active' : 'expired';
}

const KEY = /^ts_live_([A-Za-z0-9]{8})_([A-Za-z0-9_-]{43})$/;

export function formatKey({ id, secret }: ParsedKey): string {
  return `ts_live_${id}_${secret}`;
}

export function parseKey(text: string): ParsedKey | undefined {
  const match = KEY.exec(text);
  return match === null ? undefined : { id: match[1] ?? '', secret: match[2] ?? '' };
}

/** The key in an `Authorization` header: after `Bearer`, or alone. @returns undefined if there is none. */
export function keyOfHeader(header: string): ParsedKey | undefined {
  return parseKey(header.replace(/^bearer +/i, '').trim());
}
