/**
 * A capture program without a browser: it speaks the capture protocol and uploads the same small PNG for every picture. The text of
 * the ad (`html_tag`) selects its behavior: `fail`, `crash` (each time), `crash once`, `hang`, or `wait`, which hangs once and ends when
 * its job is settled. Any other ad is rendered. With FAKE_CAPTURE_HOSTS it takes small sets after its own, as the real program does.
 * The host of a placement's site selects its behavior too: `crash` or `hang`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { env, exit, stdin } from 'node:process';
import type {
  Attempt,
  ClaimedCreative,
  ClaimedSmallSet,
  ResolvedCreatives,
  WantedPage,
  WantedScreenshot,
} from '../../src/contract/captureProtocol.ts';
import { PROTOCOL_VERSION } from '../../src/contract/protocolVersion.ts';
import { PNG_FACTS, uploadPng } from './captureClient.ts';

const ownIndex = Number(env['JOB_COMPLETION_INDEX']);
const hosts = env['FAKE_CAPTURE_HOSTS'] === '1';

/** The job is settled, canceled, or has another capture. */
class SupersededError extends Error {}

stdin.resume().on('end', () => exit(1));
process.on('SIGTERM', () => exit(43));

type Call = <T>(path: string, body: object) => Promise<T>;

function callerOf(job: string): Call {
  return async <T>(path: string, body: object) => {
    const base = `${env['TEARSHEET_INTERNAL_URL']}/internal/${PROTOCOL_VERSION}/jobs/${job}`;
    const response = await fetch(`${base}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env['TEARSHEET_TOKEN']}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status === 409) throw new SupersededError(path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
}

interface Bound {
  readonly index: number;
  readonly attempt: number;
}

async function render(call: Call, bound: Bound, creative: NonNullable<ClaimedCreative['creative']>) {
  const { content, ad_id, wanted } = creative;
  if (content === 'hang') await new Promise(() => setInterval(() => undefined, 1_000));
  if (content === 'wait' && isFirst(ad_id))
    for (;;) {
      await call(`creatives/${ad_id}/renew`, bound);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  if (content === 'crash' || (content.startsWith('crash once') && isFirst(ad_id))) exit(1);
  const keys = await uploadPng(
    call,
    bound,
    wanted.map((frame) => ({ kind: 'frame', ad_id, ...frame })),
  );
  const result =
    content === 'fail'
      ? { status: 'not_found', reason: 'The media answered 404.' }
      : {
          status: 'uploaded',
          format: 'tag',
          category: 'display',
          mode: 'stepped',
          notes: [],
          width: 300,
          height: 250,
          frames: wanted.map((frame, i) => ({ ...frame, key: keys[i], ...PNG_FACTS })),
        };
  await call(`creatives/${ad_id}/result`, { ...bound, seconds: 0.1, result });
}

function isFirst(id: string): boolean {
  const file = `${env['FAKE_CAPTURE_FOLDER']}/${id}`;
  if (existsSync(file)) return false;
  writeFileSync(file, '');
  return true;
}

const ignoreSuperseded = (error: unknown) => {
  if (!(error instanceof SupersededError)) throw error;
};

async function renderAll(call: Call, bound: Bound): Promise<void> {
  for (;;) {
    const { creative, unresolved } = await call<ClaimedCreative>('creatives/claim', bound);
    if (creative !== null) await render(call, bound, creative);
    else if (unresolved === 0) return;
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function place(call: Call, bound: Bound, screenshots: WantedScreenshot[]): Promise<void> {
  const waiting = new Set(screenshots.map(({ ad_id }) => ad_id));
  while (waiting.size > 0) {
    const wanted = { ...bound, ads: [...waiting], timeout_ms: 5_000 };
    const { creatives } = await call<ResolvedCreatives>('creatives/wait', wanted);
    for (const { ad_id, status } of creatives) {
      waiting.delete(ad_id);
      const shown = status === 'rendered' ? screenshots.filter((each) => each.ad_id === ad_id) : [];
      for (const { id } of shown) {
        const [key] = await uploadPng(call, bound, [{ kind: 'screenshot', id }]);
        const times = { captured_at: new Date().toISOString(), record: {} };
        const results = [{ id, status: 'uploaded', key, ...PNG_FACTS, ...times }];
        await call('screenshots/results', { ...bound, results });
      }
    }
  }
}

/** A placement has no ad. */
async function showSlots(call: Call, bound: Bound, { site_url, placement }: WantedPage): Promise<void> {
  if (!placement) return;
  if (site_url.includes('crash')) exit(1);
  if (site_url.includes('hang')) await new Promise(() => setInterval(() => undefined, 1_000));
  const { id, sizes } = placement;
  const [key] = await uploadPng(call, bound, [{ kind: 'screenshot', id }]);
  const found = sizes.map((size) => ({ ...size, chosen: null, candidates: [], candidates_found: 0 }));
  const record = { final_url: site_url, page: { width: 1, height: 1 }, sizes: found };
  const results = [{ id, status: 'uploaded', key, ...PNG_FACTS, captured_at: new Date().toISOString(), record }];
  await call('screenshots/results', { ...bound, results });
}

async function runIndex(call: Call, index: number): Promise<Attempt> {
  const pod = env['TEARSHEET_POD'];
  const opened = await call<Attempt>(`indexes/${index}/attempts`, { pod, ...(call === ownCall && hosts && { hosts }) });
  const { attempt, done, pages } = opened;
  if (done) return opened;
  const bound = { index, attempt };
  // The last result settles the job, and a claim may come after it.
  const rendered = renderAll(call, bound).catch(ignoreSuperseded);
  const placed = pages.map(({ screenshots }) => place(call, bound, screenshots));
  await Promise.all([rendered, ...placed, ...pages.map((page) => showSlots(call, bound, page))]);
  await call(`indexes/${index}/finish`, { attempt, phases: { navigate: 0.5 } });
  return opened;
}

async function takeSmallSets({ attempt }: Attempt): Promise<void> {
  for (;;) {
    const { job } = await ownCall<ClaimedSmallSet>(`indexes/${ownIndex}/small-set`, { attempt });
    if (job === null) return;
    await runIndex(callerOf(job), 0).catch(ignoreSuperseded);
  }
}

const ownCall = callerOf(env['TEARSHEET_JOB'] ?? '');
try {
  const opened = await runIndex(ownCall, ownIndex);
  if (opened.hosting) await takeSmallSets(opened);
} catch (error) {
  ignoreSuperseded(error);
  exit(40);
}
exit(0);
