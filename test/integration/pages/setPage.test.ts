import { sql } from 'kysely';
import type { Locator } from 'playwright';
import { describe, expect, it } from 'vitest';
import { WARNING_CODES } from '../../../src/domain/warnings.ts';
import { createKey } from '../../support/keys.ts';
import { follow, openPage, proceed, read, signIn, visit } from './browser.ts';
import { readReview, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';
const BLOG = 'https://blog.example/post';
/** Follows a link of the page that is read. @returns its query. */
const readLink = async (link: Locator) => new URL((await proceed(link)).url).search;
const SCALABLE = { size: [160, 600], problem: '300×250 goes in only at 53 %' };
const setCandidates = (id: string | undefined, candidates: readonly object[], options: object = {}) =>
  server.store.db
    .updateTable('screenshots')
    .set({ record: JSON.stringify({ candidates }), options: JSON.stringify(options) })
    .where('id', '=', id ?? '')
    .execute();

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

  it('the page of a set shows several moments as a film strip, in their order', async () => {
    const at = (markerMs: number) => ({ site: NEWS, device: 'desktop' as const, markerMs });
    const { setId } = await seedSet(server, { status: 'approved', shots: [at(2000), at(0), at(1500)] });
    const page = await read(server, setAddress(setId));
    expect(await page.locator('.film .marker').allTextContents()).toEqual(['0.0 s', '1.5 s', '2.0 s']);
  });

  it('the pictures can be grouped by device or ad, and failures have a tab', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: BLOG, device: 'desktop', status: 'blocked', reason: 'It refused.' },
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile', ad: 'Leaderboard' },
      ],
    });
    const page = await read(server, setAddress(setId));
    expect(await page.locator('.tabs').last().textContent()).toMatch(/Pictures 2\s*Failed 1\s*Shared 0\s*Activity/);
    const names = () => page.locator('.group h2').allTextContents();
    expect(await names()).toEqual(['news.example']);
    const search = await readLink(page.getByRole('link', { name: 'Device' }));
    expect([await names(), search]).toEqual([['Desktop', 'Android phone'], '?group=device']);
    await readLink(page.getByRole('link', { name: 'Ad', exact: true }));
    expect(await names()).toEqual(['Summer sale 300×250', 'Leaderboard']);
    expect(await page.locator('.pills [aria-current]').textContent()).toBe('Ad');
    await readLink(page.getByRole('link', { name: 'Failed 1' }));
    expect(await page.locator('.kind h2').textContent()).toBe('Blocked by the site 1');
  });

  it.each([
    ['approved', ['uploaded', 'blocked'], 'Approved', '1 taken, 1 failed'],
    ['in_review', ['uploaded', 'no_slots'], 'In review', '0 of 1 reviewed'],
    ['canceled', ['uploaded', 'canceled', 'canceled'], 'Canceled', '1 taken, 2 canceled'],
    ['failed', ['blocked'], 'Failed', '0 taken, 1 failed'],
  ] as const)('a set that is %s with %j says %s', async (status, shots, label, counts) => {
    const { setId } = await seedSet(server, {
      status,
      shots: shots.map((status, i) => ({ site: `https://site-${i}.example`, device: 'desktop', status })),
    });
    const page = await read(server, setAddress(setId));
    expect(await page.locator('#head .badge').first().textContent()).toBe(label);
    expect(await page.locator('.so-far').textContent()).toContain(counts);
    expect(await page.locator('#head progress').count()).toBe(status === 'in_review' ? 1 : 0);
  });

  it('a set that was canceled before its first picture says that it has none', async () => {
    const shots = [{ site: NEWS, device: 'desktop', status: 'canceled' }] as const;
    const { setId } = await seedSet(server, { status: 'canceled', shots });
    const page = await read(server, setAddress(setId));
    expect(await page.getByText('No pictures here.').count()).toBe(1);
  });

  it('a set of 1,000 pictures is divided into pages, with a list of its sites', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    await sql`insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device, status, image_token, job_index)
      select gen_random_uuid(), set_id, n, ad_id, 'https://site-' || n / 20 || '.example/', 's', 'desktop', 'uploaded', image_token, 0
      from screenshots, generate_series(1, 999) n where set_id = ${setId}::uuid`.execute(server.store.db);
    const page = await read(server, setAddress(setId));
    expect(await page.locator('.shot').count()).toBe(240);
    expect(await page.locator('.pages').textContent()).toContain('Page 1 of 5');
    await page.getByText('51 sites').click();
    const link = page.getByRole('link', { name: 'site-25.example' });
    const group = new URL((await link.getAttribute('href')) ?? '', server.url).hash;
    await proceed(link);
    expect(await page.locator(`.group${group} h2`).textContent()).toBe('site-25.example');
  });

  it('a failure says which sizes the page takes, and what cures it', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: BLOG, device: 'desktop', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
        { site: BLOG, device: 'mobile', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
      ],
    });
    const sizes = [[300, 250], [970, 250], [300, 250], null];
    await setCandidates(shotIds[1], [...sizes.map((size) => ({ size })), SCALABLE]);
    const page = await read(server, `${setAddress(setId)}?tab=failed`);
    const failures = page.locator('#failures');
    expect(await failures.locator('h2').allTextContents()).toEqual(['No slot for the ad 2']);
    expect(await failures.locator('.reason').allTextContents()).toEqual([
      'This page has slots for 970×250, 160×600 and 300×250.',
    ]);
    expect(await failures.textContent()).toContain('Choose a page of the site that has a slot');
    expect(await failures.locator('.kind header button').allTextContents()).toEqual([
      'Allow scaling (1 of 2)',
      'Keep other ads',
    ]);
    await proceed(failures.getByRole('button', { name: 'Allow scaling' }));
    const retaken = server.store.db
      .selectFrom('screenshots')
      .select(['options', 'original_id'])
      .where('original_id', 'is not', null);
    expect(await retaken.execute()).toEqual([
      { options: expect.objectContaining({ allow_scaling: true }), original_id: shotIds[1] },
    ]);
  });

  it.each([
    ['the only slot is too small', { size: [120, 60], problem: 'too small for 300×250' }, {}, false],
    ['scaling was allowed', SCALABLE, { allow_scaling: true }, false],
    ['a slot takes the ad at 53 %', SCALABLE, {}, true],
  ])('scaling is offered as it helps if %s', async (_what, candidate, options, isOffered) => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'failed',
      shots: [{ site: BLOG, device: 'desktop', status: 'no_slots' }],
    });
    await setCandidates(shotIds[0], [candidate], options);
    const page = await read(server, `${setAddress(setId)}?tab=failed`);
    expect(await page.getByRole('button', { name: 'Allow scaling' }).count()).toBe(isOffered ? 1 : 0);
    await read(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
    expect(await page.getByRole('button', { name: 'Allow scaling' }).count()).toBe(isOffered ? 1 : 0);
  });

  it('a set without a picture shows its failures at once, and offers nothing to share', async () => {
    const shots = [{ site: BLOG, device: 'desktop', status: 'blocked' }] as const;
    const { setId } = await seedSet(server, { status: 'failed', shots });
    const page = await read(server, setAddress(setId));
    expect(await page.locator('#failures h2').textContent()).toBe('Blocked by the site 1');
    expect(await page.locator('.tabs [aria-current]').textContent()).toBe('Failed 1');
    expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0);
  });

  it('on a phone, each button at the top of a running set has room for its text', async () => {
    const shots = [{ site: NEWS, device: 'desktop', status: 'pending' }] as const;
    const { setId } = await seedSet(server, { status: 'capturing', shots });
    const { page } = await visit(server, setAddress(setId), { viewport: { width: 390, height: 844 } });
    const buttons = page.locator('#head .actions button');
    expect(await buttons.evaluateAll((all) => all.map((one) => one.scrollWidth > one.clientWidth))).not.toContain(true);
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
    const page = await read(server, setAddress(setId));
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
    expect(await page.locator('h1 bdi').textContent()).toContain(attack);
    expect(await page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    await page.goto(`${setAddress(setId)}?tab=activity`);
    expect(await page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    await page.goto(`${setAddress(setId)}?tab=failed`);
    expect(await page.locator('.kind .reason').first().textContent()).toBe(attack);
    await page.goto(`${server.url}/o/demo/screenshot_sets`);
    expect(await page.locator('tbody a bdi').first().textContent()).toContain(attack);
    expect(faults).toEqual([]);
  });

  it('the writing direction of a name ends with the name', async () => {
    const { setId, shotIds } = await seedSet(server, {
      shots: [
        { site: NEWS, device: 'desktop', ad: 'Spring \u202E' },
        { site: NEWS, device: 'desktop', ad: 'Autumn \u202E', status: 'blocked', reason: 'It refused.' },
      ],
    });
    const set = await read(server, setAddress(setId));
    expect(await set.locator('.shot .ad bdi').textContent()).toBe('Spring \u202E');
    const failed = await read(server, `${setAddress(setId)}?tab=failed`);
    expect(await failed.locator('.kind li bdi').first().textContent()).toBe('Autumn \u202E');
    const { page } = await visit(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((each) => each.getBoundingClientRect().x);
    expect(await left('#details dl bdi')).toBeLessThan(await left('#details dl .meta'));
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
    await page.getByRole('button', { name: 'Finish review' }).click();
    await page.getByLabel('Notes').fill('Looks right.');
    await follow(page.getByRole('button', { name: 'Approve the set' }));
    await page.locator('#head .badge.approved').waitFor();
    expect(await page.locator('main').textContent()).toContain('Looks right.');
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
    await page.getByRole('button', { name: 'Finish review' }).click();
    await page.getByLabel('Notes').fill('Wrong creative.');
    await follow(page.getByRole('button', { name: 'Reject the set' }));
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'Wrong creative.' });
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('#head .badge.in_review').waitFor();
    await page.goto(setAddress(running.setId));
    await page.locator('#head').getByRole('button', { name: 'Cancel 1 picture' }).click();
    expect(await readReview(server, running.setId)).toMatchObject({ cancelRequested: false });
    await follow(page.locator('#cancel').getByRole('button', { name: 'Cancel 1 picture' }));
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
    const form = await RequestForm.open(server);
    await form.postTo(`/o/demo/screenshots/${shotIds[0]}/review`, { decision: 'approved' });
    const page = await read(server, setAddress(setId));
    expect(await page.locator('.pills').first().textContent()).toBe('Show All 3To review 2Approved 1Rejected 0');
    await readLink(page.getByRole('link', { name: 'To review 2' }));
    expect(await page.locator('.shot .what').allTextContents()).toEqual(['Android phone', 'iPad']);
    expect(await readLink(page.getByRole('link', { name: 'Device' }))).toBe('?group=device&show=open');
  });

  it('a decision stays on the page although a read that began before it ends after it', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await openPage();
    const [began, decided, readAgain] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    let reads = 0;
    await page.route(setAddress(setId), async (route) => {
      if (route.request().resourceType() !== 'fetch' || route.request().headers()['accept'] !== 'text/html')
        return route.fallback();
      reads += 1;
      if (reads > 1) return readAgain?.resolve();
      const response = await route.fetch();
      began?.resolve();
      await decided?.promise;
      return route.fulfill({ response });
    });
    await signIn(page, server, setAddress(setId));
    await began?.promise;
    await page.getByRole('button', { name: 'Approve news.example, Desktop' }).click();
    await page.locator('.toast').waitFor();
    decided?.resolve();
    await readAgain?.promise;
    expect(await page.locator('.so-far').textContent()).toContain('1 of 1');
  });

  it('a person decides in the grid in place, and all counts follow, also after Undo', async () => {
    const { setId } = await seedSet(server, {
      status: 'in_review',
      shots: (['desktop', 'mobile', 'ipad'] as const).map((device) => ({ site: NEWS, device })),
    });
    const { page, faults } = await visit(server, setAddress(setId));
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    const counts = async () => [
      await page.locator('.so-far').textContent(),
      await page.locator('#sections').textContent(),
    ];
    await page.getByRole('button', { name: 'Approve news.example, Android phone' }).click();
    const toast = page.locator('.toast');
    await toast.getByText('1 picture is approved.').waitFor();
    expect(await counts()).toEqual([
      expect.stringContaining('1 of 3'),
      expect.stringContaining('To review 2Approved 1'),
    ]);
    expect(await page.locator('.shot.approved .badge').allTextContents()).toEqual(['Approved']);
    expect(await page.locator('#finish').textContent()).toContain('2 of them have no decision');
    expect(await page.locator('#share-hint').textContent()).toContain('1 of 3 pictures is approved');
    await toast.getByRole('button', { name: 'Undo' }).click();
    await toast.waitFor({ state: 'detached' });
    expect(await counts()).toEqual([
      expect.stringContaining('0 of 3'),
      expect.stringContaining('To review 3Approved 0'),
    ]);
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('without scripts, a person rejects the selected pictures, and a whole group', async () => {
    const { setId } = await seedSet(server, {
      status: 'in_review',
      shots: [NEWS, NEWS, BLOG, BLOG].map((site, i) => ({ site, device: i % 2 === 0 ? 'desktop' : 'mobile' })),
    });
    const { page } = await visit(server, setAddress(setId), { javaScriptEnabled: false });
    expect(await page.locator('.selection').isVisible()).toBe(false);
    await page.getByLabel('Select news.example, Android phone').check();
    await page.getByLabel('Select blog.example, Android phone').check();
    await follow(page.locator('.selection').getByRole('button', { name: 'Reject' }));
    expect(await page.locator('.toast').textContent()).toContain('2 pictures are rejected.');
    expect(await page.locator('.shot.rejected .what').allTextContents()).toEqual([
      'Android phone Rejected',
      'Android phone Rejected',
    ]);
    await follow(page.getByRole('button', { name: 'Approve all of blog.example' }));
    expect(await page.locator('.so-far').textContent()).toContain('3 of 4 reviewed');
    await follow(page.locator('.toast').getByRole('button', { name: 'Undo' }));
    expect(await page.locator('.shot.rejected').count()).toBe(2);
  });

  it('Undo takes back the action that it names, once, and not what another reviewer decided since', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'in_review',
      shots: [{ site: NEWS, device: 'desktop' }],
    });
    const [id = ''] = shotIds;
    const { api_key: other } = await createKey(server.store.db, 'demo', { name: 'second' });
    const [one, two] = [await RequestForm.open(server), await RequestForm.open(server, other)];
    const decide = async (form: RequestForm, decision: string) => {
      const { location } = await form.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, {
        decide: `${decision}:${id}`,
      });
      return { review: /done=\w+-1-(\d+)/.exec(location ?? '')?.[1] ?? '' };
    };
    const decided = async () =>
      (await server.store.db.selectFrom('screenshots').select('decision').where('id', '=', id).executeTakeFirst())
        ?.decision;
    const undo = async (form: RequestForm, done: { review: string }) =>
      (await form.postTo('/o/demo/undo', done)).location?.includes('done=nothing') === false;
    const first = await decide(one, 'approved');
    expect([await undo(two, first), await decided()]).toEqual([false, 'approved']);
    expect([await undo(one, first), await decided()]).toEqual([true, null]);
    expect([await undo(one, first), await decided()]).toEqual([false, null]);
    const earlier = await decide(one, 'approved');
    await decide(two, 'rejected');
    expect([await undo(one, earlier), await decided()]).toEqual([false, 'rejected']);
  });

  it('the decision about a group leaves out pictures that the filter hides', async () => {
    const { setId } = await seedSet(server, {
      status: 'in_review',
      shots: (['desktop', 'mobile', 'ipad', 'iphone'] as const).map((device) => ({ site: NEWS, device })),
    });
    const page = await read(server, setAddress(setId));
    await proceed(page.getByRole('button', { name: 'Reject news.example, Android phone' }));
    await read(server, `${setAddress(setId)}?show=open`);
    await proceed(page.getByRole('button', { name: 'Approve all of news.example' }));
    expect(await page.locator('.toast').textContent()).toContain('3 pictures are approved.');
    await read(server, setAddress(setId));
    expect(await page.locator('.shot.rejected').count()).toBe(1);
  });

  it('the tab Activity lists all actions, in pages, and counts pictures', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'in_review',
      shots: [{ site: NEWS, device: 'desktop' }],
    });
    const form = await RequestForm.open(server);
    await form.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, { decide: `approved:${shotIds[0]}` });
    const { db } = server.store;
    const reviewed = db.selectFrom('audit_log').selectAll().where('object_id', '=', setId);
    const { id: _id, changes, ...action } = await reviewed.orderBy('id', 'desc').executeTakeFirstOrThrow();
    const again = Array.from({ length: 50 }, () => ({ ...action, changes: JSON.stringify(changes) }));
    await db.insertInto('audit_log').values(again).execute();
    const page = (number: number) => form.get(`/o/demo/screenshot_sets/${setId}?tab=activity&page=${number}`);
    expect(await page(1)).toContain('approved: 1');
    expect(await page(1)).not.toContain('The set was requested.');
    expect(await page(2)).toContain('The set was requested.');
  });

  it('the tab Activity says who retook, decided about the retake, commented and resolved', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'approved',
      shots: [{ site: NEWS, device: 'desktop' }],
    });
    const form = await RequestForm.open(server);
    const activity = async () =>
      (await form.get(`/o/demo/screenshot_sets/${setId}?tab=activity`)).replace(/<[^>]+>/g, '');
    await form.postTo(`/o/demo/screenshots/${shotIds[0]}/retake`, {});
    expect(await activity()).toContain('Pictures of a set retaken pictures: 1first key');
    const { db } = server.store;
    const retake = await db
      .selectFrom('screenshots')
      .select(['id', 'set_id'])
      .where('retake_of', '=', shotIds[0] ?? '')
      .executeTakeFirstOrThrow();
    await db.updateTable('screenshots').set({ status: 'uploaded' }).where('id', '=', retake.id).execute();
    await db.updateTable('screenshot_sets').set({ status: 'in_review' }).where('id', '=', retake.set_id).execute();
    await form.postTo(`/o/demo/screenshots/${retake.id}/review`, { decision: 'approved' });
    await form.postTo(`/o/demo/screenshots/${retake.id}/comments`, { body: 'Much better' });
    const { id } = await db
      .selectFrom('comments')
      .select('id')
      .where('set_id', '=', retake.set_id)
      .executeTakeFirstOrThrow();
    await form.postTo(`/o/demo/comments/${id}/resolve`, { resolved: 'yes' });
    const text = await activity();
    for (const shown of ['Pictures of a set reviewed approved: 1', 'Much better', 'resolved by first key'])
      expect(text).toContain(shown);
    const ofRetake = await form.get(`/o/demo/screenshot_sets/${retake.set_id}?tab=activity`);
    expect(ofRetake).not.toContain('The set was requested.');
  });

  it('the tab Activity lists deliveries, and one can be sent again', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const target = 'https://hooks.example/tearsheet?secret=hush';
    const id = await seedDelivery(server, { setId, target, status: 'retries_exhausted', error: 'answered 500' });
    const page = await read(server, `${setAddress(setId)}?tab=activity`);
    const deliveries = page.locator('#deliveries');
    expect(await deliveries.textContent()).not.toContain('hush');
    expect(await deliveries.locator('.badge').textContent()).toBe('Failed after 1 attempt');
    const { url } = await proceed(deliveries.getByRole('button', { name: 'Send again' }));
    expect(url).toBe(`${setAddress(setId)}?tab=activity`);
    const row = server.store.db.selectFrom('deliveries').select(['status', 'replays']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'pending', replays: 1 });
  });
});
