/** Makes webhook secrets, and says until when a replaced one also signs. */
import { randomBytes } from 'node:crypto';

/** How long a webhook secret also signs after it was replaced. */
export const SECRET_OVERLAP_HOURS = 24;

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
