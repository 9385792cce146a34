/**
 * Takes pictures of the main screens of the app, at three widths in light and dark, and those of the README. A real service
 * makes a set of demo ads, and a browser opens its pages.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from 'playwright';
import sharp from 'sharp';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import type { Publishers } from '../../test/fixtures/publisherServer.ts';
import { createClient, type SetRecord } from '../demo/client.ts';
import { planOf, requestOf } from '../demo/plan.ts';
import { type Service, withService } from '../demo/service.ts';

const README_IMAGES = path.resolve('docs/images');
const OUTPUT = path.resolve('screenshots-output');
const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 768: 1024, 1440: 900 };
const SCHEMES = ['light', 'dark'] as const;
/** The screens in the README, at the largest width in light. */
const IN_README: readonly string[] = ['set', 'picture', 'new-request'];
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
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  const first = await browser.newPage();
  await first.goto(service.sign_in_url);
  await first.getByRole('button', { name: 'Sign in' }).click();
  await first.waitForURL('**/o/**');
  const storageState = await first.context().storageState();
  const screens = await screensOf(service, set);
  for (const [width, height] of Object.entries(HEIGHTS)) {
    for (const colorScheme of SCHEMES) {
      const viewport = { width: Number(width), height };
      const context = await browser.newContext({ storageState, viewport, colorScheme });
      const page = await context.newPage();
      for (const [name, address] of Object.entries(screens)) {
        await page.goto(address);
        await page.waitForLoadState('networkidle');
        const bytes = await page.screenshot();
        await save(bytes, path.join(OUTPUT, `${name}-${width}-${colorScheme}.webp`));
        if (IN_README.includes(name) && viewport.width === 1440 && colorScheme === 'light')
          await save(bytes, path.join(README_IMAGES, `app-${name}.webp`));
      }
      await context.close();
    }
  }
  console.log(`${Object.keys(screens).length * 6} pictures are in ${OUTPUT}.`);
}

/** The addresses of the main screens. */
async function screensOf(service: Service, set: SetRecord): Promise<Record<string, string>> {
  const client = createClient(service);
  const share = await client.post<{ url: string }>(`/screenshot_sets/${set.id}/shares`, {
    downloads: true,
    answers: true,
  });
  const { origin } = new URL(set.html_url);
  const base = `${origin}/o/${service.organization}`;
  const picture = set.screenshots.find(({ status }) => status === 'uploaded');
  return {
    campaigns: `${base}/campaigns`,
    campaign: `${base}/campaigns/${set.campaign_id}`,
    sets: `${base}/screenshot_sets`,
    set: set.html_url,
    'set-failed': `${set.html_url}?tab=failed`,
    'set-shared': `${set.html_url}?tab=shared`,
    'set-activity': `${set.html_url}?tab=activity`,
    retake: `${set.html_url}/retake`,
    picture: `${base}/screenshots/${picture?.id}`,
    ads: `${base}/ads`,
    ad: `${base}/ads/${picture?.ad.id}`,
    'new-request': `${base}/new`,
    shared: share.url,
    deliveries: `${base}/deliveries`,
    endpoints: `${base}/settings/endpoints`,
    keys: `${base}/settings/keys`,
    settings: `${base}/settings`,
    branding: `${base}/settings/branding`,
    help: `${base}/help`,
    reference: `${origin}/docs`,
    'sign-in': `${origin}/`,
  };
}

/** @throws Error if the picture is too large for a README. */
async function save(bytes: Buffer, file: string): Promise<void> {
  const { size } = await sharp(bytes).webp({ quality: 82 }).toFile(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}.`);
}

main().catch((error: unknown) => {
  console.error(`screenshots: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
