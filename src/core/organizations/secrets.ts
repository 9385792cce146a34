/** Makes and checks what is secret: API keys, webhook secrets, the tokens of pictures. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { WebhookSecretRecord } from '../../contract/webhookEndpoints.ts';
import { formatKey, type ParsedKey } from '../../domain/keys.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** How long a webhook secret also signs after it was replaced. */
export const SECRET_OVERLAP_HOURS = 24;

export interface NewKey extends ParsedKey {
  /** As the client holds it; shown once. */
  readonly text: string;
  /** The stored hash of the secret. */
  readonly sha256: Buffer;
}

export function newKey(): NewKey {
  const id = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = randomBytes(32).toString('base64url');
  return { id, secret, text: formatKey({ id, secret }), sha256: sha256(secret) };
}

/** Takes the same time wherever the two differ. */
export function matchesSecret(secret: string, stored: Buffer): boolean {
  const given = sha256(secret);
  return stored.length === given.length && timingSafeEqual(given, stored);
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface WebhookSecretState {
  readonly createdAt: Date;
  /** Until when the secret before this one also signs; null if it does not. */
  readonly previousUntil: Date | null;
}

/** @param given when what the secret belongs to was created, when the secret was last replaced, and whether the one before is kept. */
export function secretState({
  createdAt,
  rotatedAt,
  hasPrevious,
}: {
  createdAt: Date;
  rotatedAt: Date | null;
  hasPrevious: boolean;
}): WebhookSecretState {
  const end = rotatedAt && new Date(rotatedAt.getTime() + SECRET_OVERLAP_HOURS * 3_600_000);
  const overlaps = end !== null && hasPrevious && end > new Date();
  return { createdAt: rotatedAt ?? createdAt, previousUntil: overlaps ? end : null };
}

export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
export function webhookSecretRecord({ createdAt, previousUntil }: WebhookSecretState): WebhookSecretRecord {
  return { type: 'webhook_secret', created_at: timestamp(createdAt), previous_until: maybeTimestamp(previousUntil) };
}
