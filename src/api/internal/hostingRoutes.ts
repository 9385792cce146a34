/** The calls of a capture that hosts: it asks for guests, renews its lease and ends its hosting. */
import type { Request, Response, Router } from 'express';
import { AskForGuest, type GuestAnswer, type HostingHeld, RenewHosting } from '../../contract/captureProtocol.ts';
import type { AttemptRef } from '../../workflow/attempts.ts';
import { askForGuest, leaveHosting, readGuest, renewHosting } from '../../workflow/hosting.ts';
import { getCaller, requireAttempt } from '../auth/captureAuth.ts';
import { ForbiddenError } from '../server/errors.ts';
import type { InternalApiContext } from './options.ts';
import { readIndex } from './pathParameters.ts';
import { waitFor } from './waitFor.ts';

/** The admission answers within milliseconds. If no controller leads, the capture ends after this time. */
const ANSWER_MS = 15_000;

export function addHostingRoutes(router: Router, context: InternalApiContext): void {
  const { transact, leaseSeconds, queue } = context;

  router.post('/indexes/:index/next', async (req, res) => {
    const { attempt, timeout_ms } = AskForGuest.parse(req.body);
    const host = readHost(req, res, attempt);
    res.json(await next(context, host, { res, timeoutMs: timeout_ms }));
  });

  router.post('/indexes/:index/hosting', async (req, res) => {
    const { attempt, ends } = RenewHosting.parse(req.body);
    const host = readHost(req, res, attempt);
    const hosting = await transact((tx) =>
      ends ? leaveHosting(tx, host, { queue }) : renewHosting(tx, host, leaseSeconds),
    );
    res.json({ hosting } satisfies HostingHeld);
  });
}

/** @throws ForbiddenError if the caller works on this job as a guest, because only the host's own index hosts. */
function readHost(req: Request, res: Response, attempt: number): AttemptRef {
  const caller = getCaller(res);
  if (caller.isHost === true) throw new ForbiddenError('A guest cannot host.');
  return requireAttempt(caller, { index: readIndex(req), attempt });
}

async function next(
  { store, transact, notifications, queue, leaseSeconds, lingerSeconds = 0 }: InternalApiContext,
  host: AttemptRef,
  { res, timeoutMs }: { readonly res: Response; readonly timeoutMs: number },
): Promise<GuestAnswer> {
  const afterMs = Math.max(lingerSeconds * 1_000, ANSWER_MS);
  const disconnected = new AbortController();
  res.on('close', () => disconnected.abort());
  const asked = await transact((tx) => askForGuest(tx, host, { leaseSeconds, queue }));
  const answer =
    asked !== 'asked'
      ? asked
      : await waitFor(() => readGuest(store.db, host), {
          notifications,
          concerns: (change) => change.job === host.jobId || Object.keys(change).length === 0,
          timeoutMs: Math.min(timeoutMs, afterMs),
          signal: disconnected.signal,
        });
  if (answer === 'ended') return { guest: null, hosting: false };
  if (answer !== undefined) return { guest: { job: answer.guest }, hosting: true };
  return { guest: null, hosting: await transact((tx) => leaveHosting(tx, host, { queue, afterMs })) };
}
