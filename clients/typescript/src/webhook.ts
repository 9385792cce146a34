/** A message has no valid signature. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

/** The body of a webhook. docs/webhooks.md shows one for each topic. */
export interface WebhookEvent {
  id: string;
  type: 'event';
  topic: string;
  created_at: string;
  data: { object: Record<string, unknown> };
}

const TOLERANCE_SECONDS = 300;

export interface WebhookMessage {
  /** The secret of the organization: `whsec_…`. */
  secret: string;
  /** The headers of the request: those of `node:http`, or a `Headers` object. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it arrived. */
  body: string | Uint8Array<ArrayBuffer>;
}

/**
 * Verifies a webhook as Standard Webhooks defines.
 * @throws SignatureError if the message does not come from Tearsheet, or is older than five minutes.
 */
export async function verifyWebhook({ secret, headers, body }: WebhookMessage): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS))
    throw new SignatureError('The message is older than five minutes, or its time is in the future.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer());
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  for (const signature of header(headers, 'webhook-signature').split(' ')) {
    const [version, value = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  }
  throw new SignatureError('No signature of the message is valid for this secret.');
}

function header(headers: WebhookMessage['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return value === undefined || value === null ? '' : String(value);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    throw new SignatureError('The secret or the signature is not base64.', { cause: error });
  }
}
