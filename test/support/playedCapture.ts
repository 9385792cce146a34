/**
 * A capture program that only plays the protocol, in the version before the newest, as captures do that an upgrade finds running: no browser, the same small PNG for everything. What it does follows from
 * the text of the ad (`html_tag`): `fail`, `crash` (each time), `crash once`, `hang`, anything else is rendered.
 */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { env, exit, stdin } from 'node:process';
import type {
  Attempt,
  ClaimedCreative,
  ResolvedCreatives,
  WantedScreenshot,
} from '../../src/contract/captureProtocol.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SHA256 = createHash('sha256').update(PNG).digest('hex');
const FACTS = { sha256: SHA256, bytes: PNG.length, width: 1, height: 1 };
const index = Number(env['JOB_COMPLETION_INDEX']);

stdin.resume().on('end', () => exit(1));
process.on('SIGTERM', () => exit(43));

async function call<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${env['TEARSHEET_INTERNAL_URL']}/internal/v1/jobs/${env['TEARSHEET_JOB']}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env['TEARSHEET_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 409) exit(40);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function upload(url: string): Promise<void> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: PNG });
  if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`);
}

async function render(bound: { index: number; attempt: number }, creative: NonNullable<ClaimedCreative['creative']>) {
  const { content, ad_id, wanted } = creative;
  if (content === 'hang') await new Promise(() => setInterval(() => undefined, 1_000));
  if (content === 'crash' || (content.startsWith('crash once') && isFirst(ad_id))) exit(1);
  const result =
    content === 'fail'
      ? { status: 'not_found', reason: 'The media answered 404.' }
      : {
          ...{ status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: [] },
          ...{ width: 300, height: 250 },
          frames: wanted.map(({ marker_ms, ratio, upload }) => ({ marker_ms, ratio, key: upload?.key, ...FACTS })),
        };
  for (const frame of wanted) await upload(frame.upload?.url ?? '');
  await call(`creatives/${ad_id}/result`, { ...bound, seconds: 0.1, result });
}

function isFirst(id: string): boolean {
  const file = `${env['PLAYED_FOLDER']}/${id}`;
  if (existsSync(file)) return false;
  writeFileSync(file, '');
  return true;
}

const { attempt, done, pages } = await call<Attempt>(`indexes/${index}/attempts`, { pod: env['TEARSHEET_POD'] });
const bound = { index, attempt };
if (done) exit(0);

async function renderAll(): Promise<void> {
  for (;;) {
    const { creative, unresolved } = await call<ClaimedCreative>('creatives/claim', bound);
    if (creative !== null) await render(bound, creative);
    else if (unresolved === 0) return;
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function place(screenshots: WantedScreenshot[]): Promise<void> {
  const waiting = new Set(screenshots.map(({ ad_id }) => ad_id));
  while (waiting.size > 0) {
    const wanted = { ...bound, ads: [...waiting], timeout_ms: 5_000 };
    const { creatives } = await call<ResolvedCreatives>('creatives/wait', wanted);
    for (const { ad_id, status } of creatives) {
      waiting.delete(ad_id);
      const shown = status === 'rendered' ? screenshots.filter((each) => each.ad_id === ad_id) : [];
      for (const { id, upload: to } of shown) {
        await upload(to?.url ?? '');
        const times = { captured_at: new Date().toISOString(), record: {} };
        const results = [{ id, status: 'uploaded', key: to?.key, ...FACTS, ...times }];
        await call('screenshots/results', { ...bound, results });
      }
    }
  }
}

await Promise.all([renderAll(), ...pages.map(({ screenshots }) => place(screenshots))]);
await call(`indexes/${index}/finish`, { attempt, phases: { navigate: 0.5 } });
exit(0);
