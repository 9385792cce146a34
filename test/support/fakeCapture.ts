/**
 * A capture program without a browser: it speaks the capture protocol and uploads the same small PNG for every picture. The text of
 * the ad (`html_tag`) selects its behaviour: `fail`, `crash` (each time), `crash once` or `hang`. Any other ad is rendered.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { env, exit, stdin } from 'node:process';
import {
  type Attempt,
  type ClaimedCreative,
  PROTOCOL_VERSION,
  type ResolvedCreatives,
  type WantedScreenshot,
} from '../../src/contract/captureProtocol.ts';
import { PNG_FACTS, uploadPng } from './captureClient.ts';

const index = Number(env['JOB_COMPLETION_INDEX']);

stdin.resume().on('end', () => exit(1));
process.on('SIGTERM', () => exit(43));

async function call<T>(path: string, body: object): Promise<T> {
  const base = `${env['TEARSHEET_INTERNAL_URL']}/internal/${PROTOCOL_VERSION}/jobs/${env['TEARSHEET_JOB']}`;
  const response = await fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env['TEARSHEET_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 409) exit(40);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function render(bound: { index: number; attempt: number }, creative: NonNullable<ClaimedCreative['creative']>) {
  const { content, ad_id, wanted } = creative;
  if (content === 'hang') await new Promise(() => setInterval(() => undefined, 1_000));
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
      for (const { id } of shown) {
        const [key] = await uploadPng(call, bound, [{ kind: 'screenshot', id }]);
        const times = { captured_at: new Date().toISOString(), record: {} };
        const results = [{ id, status: 'uploaded', key, ...PNG_FACTS, ...times }];
        await call('screenshots/results', { ...bound, results });
      }
    }
  }
}

await Promise.all([renderAll(), ...pages.map(({ screenshots }) => place(screenshots))]);
await call(`indexes/${index}/finish`, { attempt, phases: { navigate: 0.5 } });
exit(0);
