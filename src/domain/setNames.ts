export const SET_NAME_MAX = 250;

/** @returns the name of a set for people: its own, or else its campaign and the day of its request. */
export function setName(set: { readonly name: string | null; readonly campaign: string; readonly created_at: Date }) {
  const day = set.created_at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return set.name ?? `${set.campaign}, ${day}`;
}
