/** Takes the pictures of the pages for the README: a real service makes a set of demo ads, and a browser opens its pages. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import { startPublishers } from '../../test/fixtures/publisherServer.ts';
import { createClient, type SetRecord } from '../demo/client.ts';
import { planOf, requestOf } from '../demo/plan.ts';
import { type Service, startService } from '../demo/service.ts';

const OUTPUT = path.resolve('docs/images');
const VIEWPORT = { width: 1440, height: 900 };
const MAX_BYTES = 200_000;
const DEADLINE_MS = 240_000;

async function main(): Promise<void> {
  const data = await mkdtemp(path.join(tmpdir(), 'tearsheet-screenshots-'));
  // PostgreSQL's account needs access to its data.
  await chmod(data, 0o755);
  const publishers = await startPublishers();
  const service = await startService(['--port', '0', '--data', data, '--allow', '127.0.0.0/8'], {
    NAVIGATION_TIMEOUT_MS: '6000',
  });
  const browser = await chromium.launch({
    executablePath: findChromium(process.env['CHROMIUM_PATH']),
    args: ['--no-sandbox'],
  });
  try {
    const set = await capture(service, publishers);
    await takePictures(browser, { service, set });
  } finally {
    await browser.close();
    await service.stop();
    await publishers.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function capture(service: Service, publishers: Awaited<ReturnType<typeof startPublishers>>): Promise<SetRecord> {
  const client = createClient(service);
  const { subscribers: _, ...request } = requestOf(planOf(), publishers, 'http://127.0.0.1:1/');
  const { id } = await client.post<SetRecord>('/screenshot_requests', {
    ...request,
    campaign: { name: 'Spring launch' },
  });
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; ) {
    const set = await client.get<SetRecord>(`/screenshot_sets/${id}`);
    if (!['draft', 'capturing'].includes(set.status)) return set;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error(`The set was not settled after ${DEADLINE_MS / 1000} s.`);
}

async function takePictures(browser: Browser, { service, set }: { service: Service; set: SetRecord }): Promise<void> {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' });
  await page.goto(service.sign_in_url);
  await page.goto(set.html_url);
  await save(page, 'app-set');
  const pictures = set.screenshots.filter(({ status }) => status === 'uploaded');
  await page.goto(`${new URL(set.html_url).origin}/o/${service.organization}/screenshots/${pictures[0]?.id}`);
  await save(page, 'app-picture');
  await page.goto(`${new URL(set.html_url).origin}/o/${service.organization}/new`);
  await save(page, 'app-new-request');
}

/** @throws Error if the picture is too large for a README. */
async function save(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const { bytes, file } = { bytes: await page.screenshot(), file: path.join(OUTPUT, `${name}.webp`) };
  const { size } = await sharp(bytes).webp({ quality: 82 }).toFile(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}.`);
  console.log(`${file}: ${Math.round(size / 1000)} kB`);
}

main().catch((error: unknown) => {
  console.error(`screenshots: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
