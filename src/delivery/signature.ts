import { createHmac } from 'node:crypto';

export interface SignatureInput {
  /** The same in every try, so that a receiver can tell a repetition. */
  eventId: string;
  at: Date;
  /** The body, exactly as it is sent. */
  payload: string;
  /** `whsec_<base64>`; more than one while a secret is being replaced. */
  secrets: readonly string[];
}

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

const SECRET_PREFIX = 'whsec_';

/** The headers of the Standard Webhooks specification. @throws Error when there is no usable secret. */
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
    throw new Error(`A webhook secret must be ${SECRET_PREFIX} and base64.`);
  }
  return createHmac('sha256', key).update(content).digest('base64');
}
