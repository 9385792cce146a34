import { createHmac } from 'node:crypto';

export interface SignatureInput {
  /** The same in every attempt, so that a receiver can recognize a repetition. */
  eventId: string;
  at: Date;
  /** The exact body of the request. */
  payload: string;
  /** `whsec_<base64>`; two secrets while one replaces the other. */
  secrets: readonly string[];
}

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

const SECRET_PREFIX = 'whsec_';

/** @returns the headers of the Standard Webhooks specification. @throws Error if there is no valid secret. */
export function signatureHeaders({ eventId, at, payload, secrets }: SignatureInput): SignatureHeaders {
  if (secrets.length === 0) throw new Error('A webhook cannot be signed without a secret.');
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${eventId}.${timestamp}.${payload}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(content, secret)}`).join(' '),
  };
}

function hmac(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (!secret.startsWith(SECRET_PREFIX) || key.byteLength === 0) {
    throw new Error(`A webhook secret must consist of ${SECRET_PREFIX} and base64.`);
  }
  return createHmac('sha256', key).update(content).digest('base64');
}
