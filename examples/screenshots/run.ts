/** Takes the pictures of the pages for the README: a real service makes a set of demo ads, and a browser opens its pages. */
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import type { Publishers } from '../../test/fixtures/publisherServer.ts';
import { createClient, type SetRecord } from '../demo/client.ts';
import { planOf, requestOf } from '../demo/plan.ts';
import { type Service, withService } from '../demo/service.ts';

const OUTPUT = path.resolve('docs/images');
const VIEWPORT = { width: 1440, height: 900 };
const MAX_BYTES = 200_000;
const DEADLINE_MS = 240_000;

async function main(): Promise<void> {
  await withService(6_000, async (service, publishers) => {
    const executablePath = findChromium(process.env['CHROMIUM_PATH']);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      await takePictures(browser, { service, set: await capture(service, publishers) });
    } finally {
      await browser.close();
    }
  });
}

async function capture(service: Service, publishers: Publishers): Promise<SetRecord> {
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
