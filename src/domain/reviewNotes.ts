import { isTerminalSet, type ScreenshotStatus, type SetStatus } from './states.ts';

/** How many screenshots of a set are in each status. */
export type StatusCounts = Readonly<Partial<Record<ScreenshotStatus, number>>>;

const WORDS = {
  ad_not_captured: 'the ad could not be captured',
  no_slots: 'the page has no slot for the ad',
  not_found: 'the page was not found',
  blocked: 'the site refused the visit',
  net_read_timeout: 'the site did not answer in time',
  generic_error: 'the site could not be captured',
} as const;

export function countStatuses(statuses: readonly ScreenshotStatus[]): StatusCounts {
  const counts: Partial<Record<ScreenshotStatus, number>> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export interface ScreenshotTotals {
  readonly total: number;
  readonly uploaded: number;
  readonly pending: number;
  /** Resolved without a picture, except canceled ones. */
  readonly failed: number;
  readonly canceled: number;
}

export function totalsOf(counts: StatusCounts): ScreenshotTotals {
  const { pending = 0, uploaded = 0, canceled = 0 } = counts;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { total, uploaded, pending, failed: total - uploaded - pending - canceled, canceled };
}

/**
 * @returns the text of `review_notes`: the reviewer's text, then the service's line about failed screenshots. The line is missing while
 *   screenshots are in progress.
 */
export function reviewNotes(
  set: { status: SetStatus; review_notes: string | null },
  counts: StatusCounts,
): string | null {
  const resolved = set.status === 'in_review' || isTerminalSet(set.status);
  const line = resolved ? failureLine(counts) : undefined;
  return (
    [set.review_notes, line].filter((part) => part !== null && part !== undefined && part !== '').join('\n') || null
  );
}

function failureLine(counts: StatusCounts): string | undefined {
  const { total } = totalsOf(counts);
  const parts: string[] = [];
  let failed = 0;
  for (const [status, words] of Object.entries(WORDS)) {
    const count = counts[status as keyof typeof WORDS] ?? 0;
    if (count === 0) continue;
    failed += count;
    parts.push(`${words} (${status}, ${count})`);
  }
  return failed === 0 ? undefined : `${failed} of ${total} could not be placed: ${parts.join('; ')}.`;
}
