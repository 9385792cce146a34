/** How urgent a set is. */

/** The lowest first. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * Each step up counts as if the set had been accepted this much earlier. So no set waits forever: after two steps' time, it comes before
 * every set that arrives later, whatever the priority.
 */
export const STEP_SECONDS = 1_800;

export function isHigher(priority: Priority, than: Priority): boolean {
  return PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(than);
}

/** @param since when it was accepted. @returns a number by which waiting work is sorted; the smallest comes first. */
export function turnOf(since: Date, priority: Priority = 'normal'): number {
  return since.getTime() - PRIORITIES.indexOf(priority) * STEP_SECONDS * 1_000;
}
