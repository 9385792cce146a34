/** The token in the address of a share link: its id with a signature. Nobody can make one without the secret of the installation. */
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

export function shareToken(secret: Buffer, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return `${bytes}.${sign(secret, id)}`;
}

/** @returns the id of the link; undefined for a token that this installation did not sign. */
export function readShareToken(secret: Buffer, token: string): string | undefined {
  const [bytes = '', signature = '', ...rest] = token.split('.');
  const id = idOf(bytes);
  if (id === undefined || rest.length > 0 || !isSameSignature(signature, sign(secret, id))) return undefined;
  return id;
}

function idOf(bytes: string): string | undefined {
  const hex = Buffer.from(bytes, 'base64url').toString('hex');
  const match = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex);
  return match === null ? undefined : match.slice(1).join('-');
}

function sign(secret: Buffer, id: string): string {
  return hmacOf(secret, `share link\n${id}`);
}
