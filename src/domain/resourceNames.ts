/** Names of ScreenshotJobs. A name never changes, so the controller finds the resource of a set without a query. */

/** The UUID in the name of a ScreenshotJob. */
export type ResourceSubject = { readonly setId: string } | { readonly jobId: string };

/** A job of a set is named after the set. A job of ads without a set is named after itself. */
export function resourceNameOf(subject: ResourceSubject): string {
  return 'setId' in subject ? `set-${subject.setId}` : `ads-${subject.jobId}`;
}
