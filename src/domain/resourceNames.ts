/** Names of ScreenshotJobs. A name never changes, so the controller finds the resource of a set without a query. */

/** A job of a set or a placement is named after that. A job of ads without a set is named after itself. */
export function resourceNameOf(kind: 'set' | 'placement' | 'ads', id: string): string {
  return `${kind}-${id}`;
}
