import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { WARNING_CODES } from '../../../src/domain/warnings.ts';
import { follow, openPage, signIn, visit } from './browser.ts';
import { readReview, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';
const BLOG = 'https://blog.example/post';
describe('the page of a set', () => {
  it('the page of a set shows its pictures by site and device after pasting a key', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile' },
        { site: BLOG, device: 'desktop' },
        { site: BLOG, device: 'desktop', ad: 'Leaderboard' },
      ],
    });
    const { page, faults } = await visit(server, setAddress(setId));
    expect(page.url()).toBe(setAddress(setId));
    expect(await page.locator('.group > header h2').allTextContents()).toEqual(['news.example', 'blog.example']);
    expect(await page.locator('.group').first().locator('.shot').count()).toBe(2);
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    const files = await page
      .locator('.shot img')
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).currentSrc.split('/').at(-1)));
    expect(files).toEqual(['512.webp', '192.webp', '512.webp', '512.webp']);
    const links = await page.locator('.shot a.frame').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect(links).toEqual(shotIds.map((id) => `/o/demo/screenshots/${id}`));
    expect(faults).toEqual([]);
  });

  it('a picture has its room on the page before it is loaded', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await openPage();
    await page.route('**/i/**', () => undefined);
    await signIn(page, server, setAddress(setId));
    const box = await page.locator('.shot img').boundingBox();
    expect([box?.width, box?.height].map((side) => Math.round(side ?? 0))).toEqual([320, 200]);
  });

  it('the page of a set shows the frames of several markers as a film strip, ordered by marker', async () => {
    const at = (markerMs: number) => ({ site: NEWS, device: 'desktop' as const, markerMs });
    const { setId } = await seedSet(server, { status: 'approved', shots: [at(2000), at(0), at(1500)] });
    const { page } = await visit(server, setAddress(setId));
    expect(await page.locator('.film .marker').allTextContents()).toEqual(['0.0 s', '1.5 s', '2.0 s']);
  });

  it('the pictures come before the failures, and can be grouped by device or ad', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: BLOG, device: 'desktop', status: 'blocked', reason: 'It refused.' },
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile', ad: 'Leaderboard' },
      ],
    });
    const { page } = await visit(server, setAddress(setId));
    const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
    expect(await top('#pictures')).toBeLessThan(await top('#failures'));
    const names = () => page.locator('.group h2').allTextContents();
    expect(await names()).toEqual(['news.example']);
    await follow(page.getByRole('link', { name: 'Device' }));
    expect([await names(), new URL(page.url()).search]).toEqual([['desktop', 'mobile'], '?group=device']);
    await follow(page.getByRole('link', { name: 'Ad', exact: true }));
    expect(await names()).toEqual(['Summer sale 300×250', 'Leaderboard']);
    expect(await page.locator('.pills [aria-current]').textContent()).toBe('Ad');
  });

  it.each([
    ['approved', ['uploaded', 'blocked'], 'Approved, 1 of 2 missing', '1 captured, 1 failed'],
    ['approved', ['uploaded', 'uploaded'], 'Approved', '2 captured'],
    ['in_review', ['uploaded', 'no_slots'], 'In review, 1 of 2 missing', '1 captured, 1 failed'],
    ['canceled', ['uploaded', 'canceled', 'canceled'], 'Canceled after 1 of 3', '1 captured, 2 canceled'],
    ['failed', ['blocked'], 'Failed', '0 captured, 1 failed'],
  ] as const)('a set that is %s with %j says %s', async (status, shots, label, counts) => {
    const { setId } = await seedSet(server, {
      status,
      shots: shots.map((status, i) => ({ site: `https://site-${i}.example`, device: 'desktop', status })),
    });
    const { page } = await visit(server, setAddress(setId));
    expect(await page.locator('.head .state').first().textContent()).toBe(label);
    expect(await page.locator('.head').textContent()).toContain(counts);
    expect(await page.locator('.head progress').count()).toBe(0);
  });

  it('a set of 10,000 pictures is divided into pages, with a list of its sites', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    await sql`insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device, status, image_token, job_index)
      select gen_random_uuid(), set_id, n, ad_id, 'https://site-' || n / 20 || '.example/', 's', 'desktop', 'uploaded', image_token, 0
      from screenshots, generate_series(1, 9999) n where set_id = ${setId}::uuid`.execute(server.store.db);
    const { page, faults } = await visit(server, setAddress(setId));
    await page.goto(setAddress(setId), { waitUntil: 'domcontentloaded' });
    expect(await page.locator('.shot').count()).toBe(240);
    expect(await page.locator('.pages').textContent()).toContain('Page 1 of 42');
    await page.getByText('501 sites').click();
    await follow(page.getByRole('link', { name: 'site-250.example' }));
    expect(await page.locator('.group:target h2').textContent()).toBe('site-250.example');
    expect(faults).toEqual([]);
  });

  it('the page of a set shows each failure with its reason and advice', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: BLOG, device: 'desktop', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
        { site: BLOG, device: 'mobile', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
      ],
    });
    const { page } = await visit(server, setAddress(setId));
    const failures = page.locator('#failures');
    expect(await failures.locator('h2').textContent()).toBe('2 of 3 failed');
    expect(await failures.locator('.kind').count()).toBe(1);
    expect(await failures.locator('.reason').count()).toBe(1);
    expect(await failures.textContent()).toContain('The page has 2 slots, the largest 120×60.');
    expect(await failures.textContent()).toContain('Choose a page of the site that has a slot');
  });

  it('the page of a set shows the warnings of a picture beside that picture only', async () => {
    const shots = [NEWS, BLOG].map((site) => ({ site, device: 'desktop' as const }));
    const { setId, shotIds } = await seedSet(server, { status: 'approved', shots });
    const warnings = JSON.stringify(WARNING_CODES.map((code) => ({ code, message: `A fact with the code ${code}.` })));
    await server.store.db
      .updateTable('screenshots')
      .set({ warnings })
      .where('id', '=', shotIds[1] ?? '')
      .execute();
    const { page } = await visit(server, setAddress(setId));
    const texts = page.locator(`#screenshot-${shotIds[1]} .warnings li`);
    expect(await texts.allTextContents()).toEqual(WARNING_CODES.map((code) => `A fact with the code ${code}.`));
    expect(await page.locator('.warnings').count()).toBe(1);
  });

  it('the page shows names, reasons, notes and addresses that contain code as text', async () => {
    const attack = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const { setId } = await seedSet(server, {
      status: 'approved',
      campaign: attack,
      instructions: attack,
      shots: [
        { site: NEWS, device: 'desktop', ad: attack },
        { site: 'javascript:alert(3)', device: 'desktop', status: 'blocked', reason: attack },
        {
          site: `https://x.example/${attack}`,
          device: 'mobile',
          status: 'generic_error',
          reason: `</script>${attack}`,
        },
      ],
    });
    await seedDelivery(server, { setId, target: `https://h.example/${attack}`, status: 'delivered', error: attack });
    const { page, faults } = await visit(server, setAddress(setId));
    expect(await page.locator('h1').textContent()).toBe(attack);
    expect(await page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('.failures .reason').first().textContent()).toBe(attack);
    await page.goto(`${server.url}/o/demo`);
    expect(await page.locator('.sets tbody .main a').first().textContent()).toBe(attack);
    expect(faults).toEqual([]);
  });

  it('the writing direction of a name ends with the name', async () => {
    const { setId, shotIds } = await seedSet(server, {
      shots: [
        { site: NEWS, device: 'desktop', ad: 'Spring \u202E' },
        { site: NEWS, device: 'desktop', ad: 'Autumn \u202E', status: 'blocked', reason: 'It refused.' },
      ],
    });
    const { page } = await visit(server, setAddress(setId));
    expect(await page.locator('.shot .ad bdi').textContent()).toBe('Spring \u202E');
    expect(await page.locator('.failures .address bdi').first().textContent()).toBe('Autumn \u202E');
    await page.goto(`${server.url}/o/demo/screenshots/${shotIds[0]}`);
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((each) => each.getBoundingClientRect().x);
    expect(await left('.about bdi')).toBeLessThan(await left('.about .meta'));
  });

  it('the page allows no inline code, no other servers and no embedding in a frame', async () => {
    const { setId } = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const { page } = await visit(server, setAddress(setId));
    const response = await page.reload();
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.body.dataset.injected = "yes"';
      document.body.append(script);
      return document.body.dataset['injected'] ?? 'no';
    });
    expect(ran).toBe('no');
  });
});

describe('actions on the page of a set', () => {
  it('the page of a set shows the same without scripts', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await visit(server, setAddress(setId), { javaScriptEnabled: false });
    expect(await page.locator('.shot img').count()).toBe(1);
    await page.getByLabel('Notes for the review').fill('Looks right.');
    await follow(page.getByRole('button', { name: 'Approve' }));
    await page.locator('.head .state.approved').waitFor();
    expect(await page.locator('.head').textContent()).toContain('Looks right.');
    expect(await readReview(server, setId)).toEqual({
      status: 'approved',
      notes: 'Looks right.',
      cancelRequested: false,
    });
  });

  it('a reviewer can reject a set with notes and cancel a running one', async () => {
    const reviewed = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const running = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const { page } = await visit(server, setAddress(reviewed.setId));
    await page.getByLabel('Notes for the review').fill('Wrong creative.');
    await follow(page.getByRole('button', { name: 'Reject' }));
    await page.waitForURL(setAddress(reviewed.setId));
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'Wrong creative.' });
    await page.goto(setAddress(running.setId));
    await page.getByText('Cancel this set').click();
    expect(await readReview(server, running.setId)).toMatchObject({ cancelRequested: false });
    await follow(page.getByRole('button', { name: 'Cancel 1 picture' }));
    await page.getByText('canceling').waitFor();
    expect(await readReview(server, running.setId)).toEqual({
      status: 'capturing',
      notes: null,
      cancelRequested: true,
    });
  });

  it('a reviewer sees only the pictures that nobody reviewed yet', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'in_review',
      shots: (['desktop', 'mobile', 'ipad'] as const).map((device) => ({ site: NEWS, device })),
    });
    const { page } = await visit(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
    await follow(page.getByRole('button', { name: 'Approve' }));
    await page.goto(setAddress(setId));
    const links = page.locator('.pills').last();
    expect(await links.textContent()).toBe('Show All 3Not reviewed 2Approved 1Rejected 0');
    await follow(page.getByRole('link', { name: 'Not reviewed 2' }));
    expect(await page.locator('.shot .what').allTextContents()).toEqual(['mobile', 'ipad']);
    await follow(page.getByRole('link', { name: 'Device' }));
    expect(new URL(page.url()).search).toBe('?group=device&show=open');
  });

  it('the page lists deliveries with their attempts and sends one again', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const target = 'https://hooks.example/tearsheet?secret=hush';
    const id = await seedDelivery(server, { setId, target, status: 'retries_exhausted', error: 'answered 500' });
    const { page } = await visit(server, setAddress(setId));
    const deliveries = page.locator('#deliveries');
    expect(await deliveries.textContent()).not.toContain('hush');
    expect(await deliveries.locator('.state').textContent()).toBe('Failed after 1 attempt');
    await deliveries.locator('summary', { hasText: '1 attempt' }).click();
    expect(await deliveries.locator('tbody').textContent()).toContain('failed: answered 500');
    await follow(deliveries.getByRole('button', { name: 'Send again' }));
    await page.waitForURL(setAddress(setId));
    const row = server.store.db.selectFrom('deliveries').select(['status', 'replays']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'pending', replays: 1 });
  });
});
