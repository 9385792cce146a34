import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { plainName } from '../../domain/notices.ts';
import { cutCodePoints, EMAIL_MAX, lowerCase, storable } from '../../domain/text.ts';
import type { Language } from '../../domain/texts/languages.ts';

export const USER_NAME_MAX = 100;

/** @returns the address as it is stored and compared; undefined if it is none. */
export function readEmail(text: string): string | undefined {
  const email = lowerCase(text.trim());
  return email !== undefined &&
    email.length <= EMAIL_MAX &&
    /^[^\s@<>(),;:"[\]\\\p{Cc}]+@[^\s@<>(),;:"[\]\\\p{Cc}]+\.[^\s@<>(),;:"[\]\\.\p{Cc}]+$/u.test(email)
    ? email
    : undefined;
}

export const EMAIL_FAULT = 'must be an e-mail address, for example ann@example.com.';

/** As {@link readEmail}. @throws Failure (422) */
export function requireEmail(text: string): string {
  const email = readEmail(text);
  if (email === undefined) throw invalid({ email: [EMAIL_FAULT] });
  return email;
}

/** @returns a name for people: the given one, or the part of the address before the @. */
export function nameOf(given: string | undefined, email: string | null): string {
  const name = cutCodePoints(plainName(storable(given ?? '')), USER_NAME_MAX);
  return name || email?.split('@')[0] || 'Unnamed person';
}

export async function findUserByEmail(db: Queryable, email: string): Promise<{ id: string; name: string } | undefined> {
  return db.selectFrom('users').select(['id', 'name']).where('email', '=', email).executeTakeFirst();
}

/** @param email proven to be of this person, and free. @returns the id. */
export async function insertUser(
  tx: Queryable,
  { email, name }: { readonly email: string | null; readonly name: string },
): Promise<string> {
  const id = randomUUID();
  await tx.insertInto('users').values({ id, email, name }).execute();
  return id;
}

export async function changeUser(
  tx: Queryable,
  id: string,
  change: { readonly name: string; readonly language: Language | null },
): Promise<void> {
  await tx.updateTable('users').set(change).where('id', '=', id).execute();
}
