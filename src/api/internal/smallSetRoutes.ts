/** The calls with which a capture takes small sets after its own index. */
import type { Request, Response, Router } from 'express';
import { type ClaimedSmallSet, ClaimSmallSet, type HostingHeld, RenewHosting } from '../../contract/captureProtocol.ts';
import type { AttemptRef } from '../../core/jobs/attempts.ts';
import { claimSmallSet, leaveHosting, renewHosting } from '../../core/jobs/smallSets.ts';
import { getCaller, requireAttempt } from '../auth/captureAuth.ts';
import { ForbiddenError } from '../server/errors.ts';
import type { InternalApiContext } from './options.ts';
import { readIndex } from './pathParameters.ts';

export function addSmallSetRoutes(
  router: Router,
  { transact, leaseSeconds, smallSets, queue, log }: InternalApiContext,
) {
  router.post('/indexes/:index/small-set', async (req, res) => {
    const capture = readCapture(req, res, ClaimSmallSet.parse(req.body).attempt);
    const options = { leaseSeconds, limits: smallSets, queue };
    const job = (await transact((tx) => claimSmallSet(tx, capture, options))) ?? null;
    if (job !== null) log.info({ job_id: job, host_job_id: capture.jobId }, 'a capture takes a small set');
    res.json({ job } satisfies ClaimedSmallSet);
  });

  router.post('/indexes/:index/hosting', async (req, res) => {
    const { attempt, ends } = RenewHosting.parse(req.body);
    const capture = readCapture(req, res, attempt);
    if (ends) await transact((tx) => leaveHosting(tx, capture, { queue }));
    const hosting = !ends && (await transact((tx) => renewHosting(tx, capture, leaseSeconds)));
    res.json({ hosting } satisfies HostingHeld);
  });
}

/** @throws ForbiddenError if the job belongs to another capture's index, because only a capture's own index takes small sets. */
function readCapture(req: Request, res: Response, attempt: number): AttemptRef {
  const caller = getCaller(res);
  if (caller.isHost === true) throw new ForbiddenError('Only the own index of a capture takes small sets.');
  return requireAttempt(caller, { index: readIndex(req), attempt });
}
