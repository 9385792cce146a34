/**
 * A fake internal API in memory. It can misbehave on demand: answer 500 and then 200, never answer, break the connection,
 * answer 409 during the work, or lose a claim. It checks the rules of the protocol and answers 422 if the program breaks one.
 */
import { createHash } from 'node:crypto';
import express, { type Express } from 'express';
import {
  type Attempt,
  ClaimCreative,
  CreativeResult,
  DeclareUploads,
  FinishIndex,
  HoldClaim,
  NO_SUCH_CALL,
  OpenAttempt,
  PROTOCOL_VERSION,
  ScreenshotResults,
  WaitForCreatives,
  type WantedPage,
} from '../../../../src/contract/captureProtocol.ts';
import type { DeviceName } from '../../../../src/domain/devices.ts';
import { listenHttp } from '../../../support/listeners.ts';

const JOB = '7b0c3a52-97a7-4f0c-9a38-2f6ea4a2a001';
const TOKEN = 'v1.test.token';

/** `500`: a fault. `unknown`: the API does not know the call. `version`: the API speaks another version. `hang`: no answer. `reset`: the connection breaks. `superseded`: 409, from then on for every call. */
type Misbehaviour = 500 | 401 | 409 | 422 | 'unknown' | 'version' | 'hang' | 'reset' | 'superseded';

interface Creative {
  readonly content: string;
  status: 'pending' | 'rendered' | 'failed';
  claimed: boolean;
  frames: { marker_ms: number | null; ratio: number; sha256: string; key: string }[];
  result?: CreativeResult;
}

export interface PageOrder {
  readonly site: string;
  readonly device: DeviceName;
  /** `[ad, marker]` */
  readonly pictures: readonly (readonly [string, number | null])[];
}

export type Api = Awaited<ReturnType<typeof startInternalApi>>;

export async function startInternalApi(order: {
  /** Content of the creatives, by ad. */
  ads: Record<string, string>;
  pages?: readonly PageOrder[];
  wanted?: readonly { marker_ms: number | null; ratio: number }[];
  deadlineMs?: number;
  leaseSeconds?: number;
}) {
  const wanted = order.wanted ?? [{ marker_ms: null, ratio: 1 }];
  const creatives = new Map<string, Creative>(
    Object.entries(order.ads).map(([ad, content]) => [ad, { content, status: 'pending', claimed: false, frames: [] }]),
  );
  const artifacts = new Map<string, Buffer>();
  const screenshots = new Map<string, ScreenshotResults['results'][number]>();
  const calls: { path: string; body: unknown }[] = [];
  const misbehaviours: { path: RegExp; what: Misbehaviour }[] = [];
  const waiters = new Set<() => void>();
  let current = 0;
  let pod = '';
  let isSuperseded = false;
  let token = TOKEN;
  let finished: Record<string, number> | undefined;
  let base = '';
  let highestClaims = 0;

  const wake = () => {
    for (const waiter of waiters) waiter();
  };
  const at = (key: string) => ({ key, url: `${base}/artifacts/${key}` });
  const unresolved = () => [...creatives.values()].filter(({ status }) => status === 'pending').length;
  const frameKey = (ad: string, { marker_ms, ratio }: { marker_ms: number | null; ratio: number }) =>
    `creatives/${ad}/${marker_ms ?? 'default'}-${ratio}-${current}.png`;

  const app = express();
  app.use((req, res, next) => {
    const path = req.path.replace(new RegExp(`^/internal/${PROTOCOL_VERSION}/jobs/${JOB}`), '');
    const found = misbehaviours.findIndex((entry) => entry.path.test(`${req.method} ${path}`));
    const what = found < 0 ? undefined : misbehaviours.splice(found, 1)[0]?.what;
    if (what === undefined) next();
    else if (what === 'reset') req.socket.destroy();
    else if (what === 'unknown') res.status(404).json({ error: 'not_found', message: NO_SUCH_CALL });
    else if (what === 'version')
      res.status(404).json({ error: 'unsupported_version', message: `${NO_SUCH_CALL} The API speaks version v3.` });
    else if (what === 'superseded') {
      isSuperseded = true;
      res.status(409).json({ error: 'superseded', message: 'a newer attempt' });
    } else if (what !== 'hang') res.status(what).json({ error: 'fault', message: 'as the test requested' });
  });

  app.put('/artifacts/*key', express.raw({ type: 'image/png', limit: '64mb' }), (req, res) => {
    if (!Buffer.isBuffer(req.body)) return void res.status(415).end();
    const declared = req.get('x-declared');
    if (declared !== sha256(req.body)) return void res.status(403).end();
    artifacts.set(String(req.path.slice('/artifacts/'.length)), req.body);
    res.status(204).end();
  });
  app.get('/artifacts/*key', (req, res) => {
    res.type('image/png').send(artifacts.get(req.path.slice('/artifacts/'.length)));
  });

  const job = jobRoutes();
  app.use(`/internal/${PROTOCOL_VERSION}/jobs/${JOB}`, job);
  app.use((_req, res) => {
    res.status(404).json({ error: 'not_found', message: NO_SUCH_CALL });
  });
  const server = await listenHttp(app);
  base = server.url;

  function jobRoutes(): Express {
    const routes = express();
    routes.use(express.json({ limit: '32mb' }), (req, res, next) => {
      calls.push({ path: req.path, body: req.body });
      if (req.get('authorization') !== `Bearer ${token}`) res.status(401).json({ error: 'unauthorized' });
      else if (isSuperseded) res.status(409).json({ error: 'superseded' });
      else next();
    });
    const held = (req: express.Request, body: { attempt: number }) => {
      if (body.attempt === current) return true;
      req.res?.status(409).json({ error: 'superseded' });
      return false;
    };
    const invalid = (res: express.Response, message: string) =>
      void res.status(422).json({ error: 'invalid', message });

    routes.post('/indexes/0/attempts', (req, res) => {
      const asked = OpenAttempt.parse(req.body);
      if (asked.pod !== pod) current += 1;
      pod = asked.pod;
      const pages = openPages();
      const answer: Attempt = {
        attempt: current,
        done: unresolved() === 0 && pages.length === 0,
        deadline_at: new Date(Date.now() + (order.deadlineMs ?? 60_000)).toISOString(),
        pages,
      };
      res.json(answer);
    });

    routes.post('/creatives/claim', (req, res) => {
      if (!held(req, ClaimCreative.parse(req.body))) return;
      const free = [...creatives].find(([, creative]) => creative.status === 'pending' && !creative.claimed);
      if (free === undefined) return void res.json({ creative: null, unresolved: unresolved() });
      const [ad_id, creative] = free;
      creative.claimed = true;
      highestClaims = Math.max(
        highestClaims,
        [...creatives.values()].filter((one) => one.claimed && one.status === 'pending').length,
      );
      const lease_seconds = order.leaseSeconds ?? 30;
      const given = { ad_id, kind: 'url', content: creative.content, wanted, lease_seconds };
      res.json({ creative: given, unresolved: unresolved() });
    });
    routes.post('/uploads', (req, res) => {
      const { uploads, attempt } = DeclareUploads.parse(req.body);
      if (!held(req, { attempt })) return;
      const addresses = uploads.map((one) => {
        const plain = one.kind === 'frame' ? frameKey(one.ad_id, one) : `screenshots/${one.id}/${current}.png`;
        return { ...at(plain), headers: { 'content-type': 'image/png', 'x-declared': one.sha256 } };
      });
      res.json({ uploads: addresses });
    });
    routes.post('/creatives/wait', async (req, res) => {
      const { ads, timeout_ms, attempt } = WaitForCreatives.parse(req.body);
      if (!held(req, { attempt })) return;
      const found = () => ads.filter((ad) => creatives.get(ad)?.status !== 'pending');
      if (found().length === 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeout_ms);
          const waiter = () => {
            if (found().length === 0) return;
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve();
          };
          waiters.add(waiter);
          res.on('close', () => waiters.delete(waiter));
        });
      }
      res.json({ creatives: found().map(describe) });
    });
    routes.post('/creatives/:ad/renew', (req, res) => {
      if (!held(req, HoldClaim.parse(req.body))) return;
      res.json({ held: creatives.get(req.params.ad)?.claimed === true });
    });
    routes.post('/creatives/:ad/release', (req, res) => {
      if (!held(req, HoldClaim.parse(req.body))) return;
      const creative = creatives.get(req.params.ad);
      if (creative !== undefined) creative.claimed = false;
      res.json({});
    });
    routes.post('/creatives/:ad/result', (req, res) => {
      const result = CreativeResult.parse(req.body);
      const creative = creatives.get(req.params.ad);
      if (!held(req, result) || creative === undefined || creative.status !== 'pending')
        return void (res.headersSent || res.json({}));
      if (result.result.status === 'uploaded') {
        const { frames } = result.result;
        const lost = wanted.find(
          (want) => !frames.some((one) => one.marker_ms === want.marker_ms && one.ratio === want.ratio),
        );
        if (lost !== undefined) return invalid(res, `no frame ${JSON.stringify(lost)}`);
        for (const frame of frames) {
          if (frame.key !== frameKey(req.params.ad, frame)) return invalid(res, `wrong key ${frame.key}`);
          if (sha256(artifacts.get(frame.key)) !== frame.sha256) return invalid(res, `${frame.key} is not uploaded`);
        }
        creative.frames = frames;
      }
      creative.result = result;
      creative.status = result.result.status === 'uploaded' ? 'rendered' : 'failed';
      wake();
      res.json({});
    });
    routes.post('/screenshots/results', (req, res) => {
      const { results, attempt } = ScreenshotResults.parse(req.body);
      if (!held(req, { attempt })) return;
      for (const result of results) {
        if (result.status === 'uploaded' && sha256(artifacts.get(result.key)) !== result.sha256) {
          return invalid(res, `${result.key} is not uploaded`);
        }
        if (!screenshots.has(result.id)) screenshots.set(result.id, result);
      }
      res.json({});
    });
    routes.post('/indexes/0/finish', (req, res) => {
      const { phases, attempt } = FinishIndex.parse(req.body);
      if (!held(req, { attempt })) return;
      finished = phases;
      res.json({});
    });
    routes.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      invalid(res, error.message);
    });
    return routes;
  }

  function openPages(): WantedPage[] {
    return (order.pages ?? []).flatMap(({ site, device, pictures }, page) => {
      const all = pictures.map(([ad_id, marker_ms], i) => {
        const id = pictureId(page, i);
        return { id, ad_id, marker_ms };
      });
      const left = all.filter(({ id }) => !screenshots.has(id));
      return left.length === 0 ? [] : [{ site_url: site, device, screenshots: left }];
    });
  }

  function describe(ad_id: string) {
    const creative = creatives.get(ad_id);
    if (creative?.status !== 'rendered') {
      const result = creative?.result?.result;
      return { ad_id, status: 'failed', reason: result && 'reason' in result ? result.reason : 'failed' };
    }
    const frames = creative.frames.map(({ key, ...frame }) => ({ ...frame, url: at(key).url }));
    return { ad_id, status: 'rendered', width: 30, height: 25, mode: 'stepped', frames };
  }

  return {
    env: {
      TEARSHEET_INTERNAL_URL: base,
      TEARSHEET_JOB: JOB,
      JOB_COMPLETION_INDEX: '0',
      TEARSHEET_TOKEN: TOKEN,
      TEARSHEET_POD: 'pod-1',
    },
    calls,
    creatives,
    screenshots,
    artifacts,
    get finished() {
      return finished;
    },
    get isSuperseded() {
      return isSuperseded;
    },
    get highestClaims() {
      return highestClaims;
    },
    pathsOf: (pattern: RegExp) => calls.filter(({ path }) => pattern.test(path)).map(({ path }) => path),
    /** The next call that matches `<METHOD> <path>` goes wrong. */
    misbehave: (path: RegExp, what: Misbehaviour, times = 1) => {
      for (let i = 0; i < times; i++) misbehaviours.push({ path, what });
    },
    /** Only the new one is taken from now on. */
    exchangeToken: (another: string) => {
      token = another;
    },
    /** Another capture of the job holds the creative. */
    claimedElsewhere: (ad: string) => {
      const creative = creatives.get(ad);
      if (creative !== undefined) creative.claimed = true;
    },
    /** Its lease ends. */
    expire: (ad: string) => {
      const creative = creatives.get(ad);
      if (creative !== undefined) creative.claimed = false;
    },
    /** Another capture of the job has rendered it. */
    renderedElsewhere: (ad: string, png: Buffer) => {
      const creative = creatives.get(ad);
      if (creative === undefined) throw new Error(`There is no ad ${ad}.`);
      creative.frames = wanted.map((frame) => {
        const key = `creatives/${ad}/elsewhere-${frame.marker_ms}-${frame.ratio}.png`;
        artifacts.set(key, png);
        return { ...frame, key, sha256: sha256(png) };
      });
      creative.status = 'rendered';
      wake();
    },
    close: () => server.close(),
  };
}

export function pictureId(page: number, picture: number): string {
  return `00000000-0000-4000-8000-${String(page * 1000 + picture).padStart(12, '0')}`;
}

function sha256(bytes: Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}
