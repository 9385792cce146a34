import { describe, expect, it } from 'vitest';
import { createKey } from '../../support/keys.ts';
import { readReview, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';
const BLOG = 'https://blog.example/post';
const SCALABLE = { size: [160, 600], problem: '300×250 goes in only at 53 %' };
const setCandidates = (id: string | undefined, candidates: readonly object[], options: object = {}) =>
  server.store.db
    .updateTable('screenshots')
    .set({ record: JSON.stringify({ candidates }), options: JSON.stringify(options) })
    .where('id', '=', id ?? '')
    .execute();

describe('the page of a set', () => {
  it('the page of a set shows its pictures by site and device, and links lead to other groups and tabs', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile' },
        { site: BLOG, device: 'desktop' },
        { site: BLOG, device: 'desktop', ad: 'Leaderboard' },
      ],
    });
    const page = await read(server, setAddress(setId));
    expect(page.url).toBe(setAddress(setId));
    expect(page.locator('.group > header h2').allTextContents()).toEqual(['news.example', 'blog.example']);
    expect(page.locator('.group').first().locator('.shot').count()).toBe(2);
    const links = page.locator('.shot a.frame').allAttributes('href');
    expect(links).toEqual(shotIds.map((id) => `/o/demo/screenshots/${id}`));
    await page.proceed(page.getByRole('link', { name: 'Device' }));
    expect(new URL(page.url).search).toBe('?group=device');
    expect(page.locator('.group h2').allTextContents()).toEqual(['Desktop', 'Android phone']);
    await page.proceed(page.getByRole('link', { name: 'Activity' }));
    expect(page.locator('#activity').count()).toBe(1);
  });

  it('the share box counts the picture of two ads once, as the grid does', async () => {
    const shots = [
      { site: NEWS, device: 'desktop', ad: 'One' },
      { site: NEWS, device: 'desktop', ad: 'Two' },
      { site: BLOG, device: 'desktop' },
    ] as const;
    const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
    const { db } = server.store;
    const rows = await db
      .selectFrom('screenshots')
      .select('image_token')
      .where('id', '=', shotIds[0] ?? '')
      .execute();
    await db
      .updateTable('screenshots')
      .set({ options: JSON.stringify({ group: 'All ads' }), image_token: rows[0]?.image_token ?? null })
      .where('id', 'in', shotIds.slice(0, 2))
      .execute();
    const page = await read(server, setAddress(setId));
    expect(page.locator('.shot').count()).toBe(2);
    expect(page.locator('#share-hint').textContent()).toContain('0 of 2 pictures are approved');
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
    expect(failures.locator('h2').allTextContents()).toEqual(['No slot for the ad 2']);
    expect(failures.locator('.reason').allTextContents()).toEqual([
      'This page has slots for 970×250, 160×600 and 300×250.',
    ]);
    expect(failures.textContent()).toContain('Choose a page of the site that has a slot');
    expect(failures.locator('.kind header button').allTextContents()).toEqual([
      'Allow scaling (1 of 2)',
      'Keep other ads',
    ]);
    await page.proceed(failures.getByRole('button', { name: 'Allow scaling' }));
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
    expect(page.getByRole('button', { name: 'Allow scaling' }).count()).toBe(isOffered ? 1 : 0);
    await page.open(`${server.url}/o/demo/screenshots/${shotIds[0]}`);
    expect(page.getByRole('button', { name: 'Allow scaling' }).count()).toBe(isOffered ? 1 : 0);
  });

  it('a set without a picture shows its failures at once, and offers nothing to share', async () => {
    const shots = [{ site: BLOG, device: 'desktop', status: 'blocked' }] as const;
    const { setId } = await seedSet(server, { status: 'failed', shots });
    const page = await read(server, setAddress(setId));
    expect(page.locator('#failures h2').textContent()).toBe('Blocked by the site 1');
    expect(page.locator('.tabs [aria-current]').textContent()).toBe('Failed 1');
    expect(page.locator('#head').getByRole('button', { name: 'Share' }).count()).toBe(0);
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
    const page = await read(server, setAddress(setId));
    expect(page.locator('h1 bdi').textContent()).toContain(attack);
    expect(page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    await page.open(`${setAddress(setId)}?tab=activity`);
    expect(page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    await page.open(`${setAddress(setId)}?tab=failed`);
    expect(page.locator('.kind .reason').first().textContent()).toBe(attack);
    await page.open(`${server.url}/o/demo/screenshot_sets`);
    expect(page.locator('tbody a bdi').first().textContent()).toContain(attack);
  });
});

describe('actions on the page of a set', () => {
  it('a reviewer approves a set with notes', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const page = await read(server, setAddress(setId));
    expect(page.locator('.shot img').count()).toBe(1);
    page.getByRole('button', { name: 'Finish review' }).click();
    page.getByLabel('Notes').fill('Looks right.');
    await page.proceed(page.getByRole('button', { name: 'Approve the set' }));
    expect(page.locator('#head .badge.approved').count()).toBe(1);
    expect(page.locator('main').textContent()).toContain('Looks right.');
    expect(await readReview(server, setId)).toEqual({
      status: 'approved',
      notes: 'Looks right.',
      cancelRequested: false,
    });
  });

  it('a reviewer can reject a set with notes and cancel a running one', async () => {
    const reviewed = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const running = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const page = await read(server, setAddress(reviewed.setId));
    page.getByRole('button', { name: 'Finish review' }).click();
    page.getByLabel('Notes').fill('Wrong creative.');
    await page.proceed(page.getByRole('button', { name: 'Reject the set' }));
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'Wrong creative.' });
    await page.proceed(page.locator('.toast').getByRole('button', { name: 'Undo' }));
    expect(page.locator('#head .badge.in_review').count()).toBe(1);
    await page.open(setAddress(running.setId));
    page.locator('#head').getByRole('button', { name: 'Cancel 1 picture' }).click();
    expect(await readReview(server, running.setId)).toMatchObject({ cancelRequested: false });
    await page.proceed(page.locator('#cancel').getByRole('button', { name: 'Cancel 1 picture' }));
    expect(page.locator('h1 .badge').textContent()).toBe('Canceling');
    expect(await readReview(server, running.setId)).toEqual({
      status: 'capturing',
      notes: null,
      cancelRequested: true,
    });
  });

  it('without scripts, a person rejects the selected pictures, and a whole group', async () => {
    const { setId } = await seedSet(server, {
      status: 'in_review',
      shots: [NEWS, NEWS, BLOG, BLOG].map((site, i) => ({ site, device: i % 2 === 0 ? 'desktop' : 'mobile' })),
    });
    const page = await read(server, setAddress(setId));
    page.getByLabel('Select news.example, Android phone').check();
    page.getByLabel('Select blog.example, Android phone').check();
    await page.proceed(page.locator('.selection').getByRole('button', { name: 'Reject' }));
    expect(page.locator('.toast').textContent()).toContain('2 pictures are rejected.');
    expect(page.locator('.shot.rejected .what').allTextContents()).toEqual([
      'Android phone Rejected',
      'Android phone Rejected',
    ]);
    await page.proceed(page.getByRole('button', { name: 'Approve all of blog.example' }));
    expect(page.locator('.so-far').textContent()).toContain('3 of 4 reviewed');
    await page.proceed(page.locator('.toast').getByRole('button', { name: 'Undo' }));
    expect(page.locator('.shot.rejected').count()).toBe(2);
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
    await page.proceed(page.getByRole('button', { name: 'Reject news.example, Android phone' }));
    await page.open(`${setAddress(setId)}?show=open`);
    await page.proceed(page.getByRole('button', { name: 'Approve all of news.example' }));
    expect(page.locator('.toast').textContent()).toContain('3 pictures are approved.');
    await page.open(setAddress(setId));
    expect(page.locator('.shot.rejected').count()).toBe(1);
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
    const entriesOf = async (number: number) => (await page(number)).split('approved: 1').length - 1;
    expect([await entriesOf(1), await entriesOf(2), await entriesOf(3)]).toEqual([50, 1, 0]);
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
  });

  it('the tab Activity lists deliveries, and one can be sent again', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const target = 'https://hooks.example/tearsheet?secret=hush';
    const id = await seedDelivery(server, { setId, target, status: 'retries_exhausted', error: 'answered 500' });
    const page = await read(server, `${setAddress(setId)}?tab=activity`);
    const deliveries = page.locator('#deliveries');
    expect(deliveries.textContent()).not.toContain('hush');
    expect(deliveries.locator('.badge').textContent()).toBe('Failed after 1 attempt');
    const { url } = await page.proceed(deliveries.getByRole('button', { name: 'Send again' }));
    expect(url).toBe(`${setAddress(setId)}?tab=activity`);
    const row = server.store.db.selectFrom('deliveries').select(['status', 'replays']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'pending', replays: 1 });
  });
});
