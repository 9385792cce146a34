/** Seals short secrets with AES-256-GCM, under one of several keys, and opens them again. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { errorMessage } from './errorMessage.ts';

/** Each sealed secret starts with this, then come the id of its key, a colon, and nonce, tag and ciphertext in base64url. */
export const SEALED_PREFIX = 'sealed:1:';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[A-Za-z0-9-]{1,32}$/;

export function isSealed(text: string): boolean {
  return text.startsWith(SEALED_PREFIX);
}

/** @returns a key with this id, as {@link KeyRing.parse} reads it. */
export function newSealingKey(id: string): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

export class KeyRing {
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** The id of the first key, which seals. */
  readonly currentId: string;

  private constructor(keys: ReadonlyMap<string, Buffer>, currentId: string) {
    this.#keys = keys;
    this.currentId = currentId;
  }

  /** @param text `id:base64` for each key, separated by commas or white space. The first key seals, all keys open. @throws Error */
  static parse(text: string): KeyRing {
    const keys = new Map<string, Buffer>();
    for (const item of text.split(/[\s,]+/).filter((part) => part !== '')) {
      const { id, key } = parseKey(item);
      if (keys.has(id)) throw new Error(`has two keys with the id "${id}"; give each key its own id`);
      keys.set(id, key);
    }
    const [currentId] = keys.keys();
    if (currentId === undefined) throw new Error('has no key');
    return new KeyRing(keys, currentId);
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** @param place names the row and the column. A secret that is copied to another place does not open there. */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.currentId, place), nonce);
    cipher.setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), body]);
    return `${SEALED_PREFIX}${this.currentId}:${bytes.toString('base64url')}`;
  }

  /** @throws Error for a text that is not sealed, was changed or belongs to another place, and for a key that is missing. */
  open(sealed: string, place: string): string {
    if (!isSealed(sealed))
      throw new Error(
        `The secret of ${place} is stored without encryption. Remove this database and start with an empty one.`,
      );
    const [keyId = '', encoded = ''] = sealed.slice(SEALED_PREFIX.length).split(':');
    const key = this.#key(keyId, place);
    const bytes = Buffer.from(encoded, 'base64url');
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    } catch (cause) {
      const reason = `key "${keyId}" has been changed, or the stored text was changed or copied from another row`;
      throw new Error(`The secret of ${place} cannot be opened: ${reason}. ${errorMessage(cause)}`, { cause });
    }
  }

  #key(id: string, place: string): Buffer {
    const key = this.#keys.get(id);
    if (key === undefined) throw new Error(missingKey(id, place));
    return key;
  }
}

/** @returns the error for an operator if a stored secret needs a key that the key ring lacks. */
export function missingKey(id: string, place: string): string {
  return `The secret of ${place} is sealed with key "${id}", which SECRETS_KEYS does not have. Add this key and restart.`;
}

function parseKey(item: string): { id: string; key: Buffer } {
  const at = item.indexOf(':');
  const id = item.slice(0, Math.max(0, at));
  const key = Buffer.from(item.slice(at + 1), 'base64');
  // The message must not show the key, so it does not show the item.
  if (!KEY_ID.test(id))
    throw new Error('has a key without a valid id; write each as id:base64 with letters, digits and hyphens in the id');
  if (key.byteLength !== KEY_BYTES)
    throw new Error(`has ${key.byteLength} bytes for key "${id}"; a key is ${KEY_BYTES} bytes in base64`);
  return { id, key };
}
