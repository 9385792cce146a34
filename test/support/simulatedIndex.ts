/** Writes to PostgreSQL what the capture of one index would write, at once and without a process. */

import type { EventContext } from '../../src/core/events/recordEvent.ts';
import { openAttempt } from '../../src/core/jobs/attempts.ts';
import { claimCreative } from '../../src/core/jobs/claims.ts';
import { storeCreativeResult } from '../../src/core/jobs/creativeResults.ts';
import { storeScreenshotResults } from '../../src/core/jobs/screenshotResults.ts';
import type { Database } from '../../src/db/database.ts';
import { required } from './required.ts';

const FACTS = { sha256: 'a'.repeat(64), bytes: 1, width: 1, height: 1 };

export interface SimulatedIndex {
  readonly jobId: string;
  readonly index: number;
  readonly eventContext: EventContext;
}

/** Starts the index and claims one creative. */
export async function startIndex(db: Database, { jobId, index }: SimulatedIndex) {
  const pod = `pod-${jobId}-${index}`;
  const { attempt } = required(await db.transaction().execute((tx) => openAttempt(tx, { jobId, index, pod })));
  const attemptRef = { jobId, index, attempt };
  return { attemptRef, claimed: await db.transaction().execute((tx) => claimCreative(tx, attemptRef, 600)) };
}

/** Does all the work of the index. */
export async function simulateIndex(db: Database, played: SimulatedIndex): Promise<void> {
  const { eventContext } = played;
  for (let creatives = true; creatives; ) {
    const { attemptRef, claimed } = await startIndex(db, played);
    creatives = claimed !== undefined;
    if (claimed === undefined) continue;
    const frames = claimed.wanted.map((frame) => ({ ...frame, key: `frame-${claimed.ad_id}`, ...FACTS }));
    const kind = {
      format: 'tag',
      category: 'display',
      mode: 'stepped',
      notes: [],
      warnings: [],
      films: [],
      width: 300,
      height: 250,
    } as const;
    const result = { status: 'uploaded', ...kind, frames } as const;
    await db
      .transaction()
      .execute((tx) =>
        storeCreativeResult(
          tx,
          { attemptRef, adId: claimed.ad_id, result },
          { ...eventContext, resolved: [], reached: [] },
        ),
      );
  }
  const { attemptRef } = await startIndex(db, played);
  const pictures = await db
    .selectFrom('screenshots')
    .innerJoin('screenshot_jobs', 'screenshot_jobs.set_id', 'screenshots.set_id')
    .select('screenshots.id')
    .where('screenshot_jobs.id', '=', played.jobId)
    .where('job_index', '=', played.index)
    .execute();
  const times = { captured_at: new Date(0).toISOString(), record: {}, warnings: [] };
  const results = pictures.map(({ id }) => ({ id, status: 'uploaded' as const, key: id, ...FACTS, ...times }));
  await db
    .transaction()
    .execute((tx) =>
      storeScreenshotResults(tx, { attemptRef, results }, { ...eventContext, resolved: [], reached: [] }),
    );
}
