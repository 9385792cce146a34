/**
 * Does what a client does, through the public API only: sends ads and gets pictures of them in pages. It starts its own
 * publishers and webhook listener, checks the pixels of every picture, and fails if one is wrong.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { contactSheet } from '../../src/capture/shoot/shootOutput.ts';
import type { Publishers } from '../../test/fixtures/publisherServer.ts';
import { type Checked, checkScreenshot } from './check.ts';
import { type AdRecord, type Client, createClient, type ScreenshotRecord, type SetRecord } from './client.ts';
import { type Listener, startListener } from './listener.ts';
import { type PlannedAd, planOf, requestOf } from './plan.ts';
import { type Service, withService } from './service.ts';

const OUTPUT = path.resolve('demo-output');
const SET_DEADLINE_MS = 480_000;
const started = Date.now();

function log(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

async function main(): Promise<void> {
  log('starting publishers, a webhook listener and the service …');
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  await withService(20_000, async (service, publishers) => {
    const listener = await startListener(() => service.webhook_secret);
    try {
      await runDemo({ service, publishers, listener });
    } finally {
      listener.close();
    }
  });
}

interface Demo {
  readonly service: Service;
  readonly publishers: Publishers;
  readonly listener: Listener;
}

async function runDemo({ service, publishers, listener }: Demo): Promise<void> {
  log(`the service is ready at ${service.url}`);
  const client = createClient(service);
  const plan = planOf();
  const [ad, set] = await Promise.all([
    previewOfZip(client, { plan, cdn: publishers.cdn, webhook: listener.url }),
    client.post<SetRecord>('/screenshot_requests', requestOf(plan, publishers, listener.url)),
  ]);
  log(`requested one ad preview (${ad.html_url}) and one set (${set.html_url})`);
  const following = follow(client, set.id, (screenshot) => checkScreenshot(screenshot, plan, publishers));
  await listener.next('ad.uploaded', ad.id, SET_DEADLINE_MS);
  log('ad.uploaded arrived with a valid signature');
  await listener.next('screenshot_set.approved', set.id, SET_DEADLINE_MS);
  log('screenshot_set.approved arrived with a valid signature');
  await report(await following, plan);
}

/** Calls create-ad for the HTML5 zip, with a webhook subscriber. */
function previewOfZip(
  client: Client,
  given: { plan: readonly PlannedAd[]; cdn: string; webhook: string },
): Promise<AdRecord> {
  const zip = given.plan.find(({ creative }) => creative.mediaKind === 'html5_zip')?.creative;
  if (zip === undefined) throw new Error('The demo has no HTML5 zip.');
  return client.post<AdRecord>('/ads', {
    campaign: { name: 'Tearsheet demo, previews' },
    ad: { lookup_key: 'preview', name: zip.name, media: { type: zip.type, content: zip.content(given.cdn) } },
    subscribers: [{ webhook: { url: given.webhook } }],
  });
}

/** Prints the progress of the set until it is settled. @returns each screenshot, checked as soon as it existed. */
async function follow(
  client: Client,
  id: string,
  check: (screenshot: ScreenshotRecord) => Promise<Checked>,
): Promise<Checked[]> {
  const checks = new Map<string, Promise<Checked>>();
  let printed = '';
  for (const deadline = Date.now() + SET_DEADLINE_MS; Date.now() < deadline; ) {
    const set = await client.get<SetRecord>(`/screenshot_sets/${id}`);
    const resolved = set.screenshots.filter(({ status }) => status !== 'pending');
    for (const screenshot of resolved) {
      if (checks.has(screenshot.id)) continue;
      const checked = check(screenshot);
      // The caller handles its failure at the end, with those of the others.
      checked.catch((error: unknown) => void error);
      checks.set(screenshot.id, checked);
    }
    const progress = `${set.status}: ${resolved.length} of ${set.screenshots.length} pictures`;
    if (progress !== printed) log(progress);
    printed = progress;
    if (!['draft', 'capturing'].includes(set.status)) {
      return Promise.all(set.screenshots.map((screenshot) => checks.get(screenshot.id) ?? check(screenshot)));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`The set was not settled after ${SET_DEADLINE_MS / 1000} s.`);
}

async function report(checked: readonly Checked[], plan: readonly PlannedAd[]): Promise<void> {
  const entries = await Promise.all(
    checked.map(async (one, index) => {
      const { screenshot, ad, place, png, words, fault } = one;
      const { marker } = screenshot.frame;
      const file = `${String(index + 1).padStart(2, '0')}-${place.page}-${place.device.replaceAll(' ', '-')}-${ad.creative.key}-${marker ?? 'rest'}.png`;
      if (png !== undefined) await writeFile(path.join(OUTPUT, file), png);
      return {
        id: file,
        ad: ad.creative.name,
        site: screenshot.site.url,
        device: place.device,
        marker,
        status: fault === undefined ? screenshot.status : 'fault',
        text: fault ?? words,
        warnings: screenshot.warnings.map(({ message }) => message),
        picture: png && file,
      };
    }),
  );
  const sheet = path.join(OUTPUT, 'index.html');
  await writeFile(sheet, contactSheet('Tearsheet demo', entries));
  const wanted = plan
    .flatMap(({ places }) => places.map(({ markers = [] }) => Math.max(1, markers.length)))
    .reduce((a, b) => a + b, 0);
  const faults = checked.filter(({ fault }) => fault !== undefined);
  for (const { screenshot, ad, fault } of faults)
    console.error(`  ${ad.creative.key} on ${screenshot.site.url} (${screenshot.device.name}): ${fault}`);
  if (checked.length !== wanted)
    throw new Error(`The set has ${checked.length} screenshots, but the demo requested ${wanted}.`);
  if (faults.length > 0) throw new Error(`${faults.length} of ${wanted} pictures are wrong; see ${sheet}.`);
  const pictures = checked.filter(({ png }) => png !== undefined).length;
  log(
    `${pictures} pictures, each with its ad in it; ${wanted - pictures} sites that cannot show one, each with its reason`,
  );
  log(`contact sheet: ${sheet}`);
  log('boxes instead of letters? Install fonts, on Debian: apt-get install fonts-noto-core fonts-noto-cjk');
}

main().catch((error: unknown) => {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
