/** Makes the JSON that names a key or a person. */
import type { KeyReference, UserReference } from '../../contract/records.ts';

export function keyReference(id: string | null, name: string | null): KeyReference | null {
  return id === null ? null : { key_id: id, name: name ?? '' };
}

export function userReference(id: string | null, name: string | null): UserReference | null {
  return id === null ? null : { user_id: id, name: name ?? '' };
}
