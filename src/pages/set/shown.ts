/** The pictures of a set that a person wants to see. */
export const SHOWN = ['all', 'open', 'approved', 'rejected'] as const;
export type Shown = (typeof SHOWN)[number];

export function shownOf(text: unknown): Shown {
  return SHOWN.find((shown) => shown === text) ?? 'all';
}
