import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readShareToken, shareToken } from '../../../src/api/auth/shareTokens.ts';
import { createOpenLimits } from '../../../src/api/limits/openLimits.ts';
import { sendClientMails } from '../../../src/core/notices/clientMails.ts';
import { OLD_ROWS } from '../../../src/core/removal/oldRows.ts';
import { addComment } from '../../../src/core/reviews/comments.ts';
import { followShare } from '../../../src/core/sharing/followers.ts';
import { createShareLink, revokeLink } from '../../../src/core/sharing/shareLinks.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { createMailer } from '../../../src/mail/mailer.ts';
import { linkOf, startMailServer } from '../../support/mailServer.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { open, read } from './reading.ts';
import { seedRetake } from './seedRetake.ts';

const mail = await startMailServer();
afterAll(() => mail.close());
const mailer = createMailer({ url: mail.url, from: 'Tearsheet <tearsheet@shots.example>' });
const server = preparePages({ openLimits: createOpenLimits(), mailer });

const ANNA = { name: 'Anna Client', email: 'anna@client.example' };

interface LinkChoices {
  readonly downloads?: boolean;
  readonly answers?: boolean;
  readonly password?: string;
}

async function sharedSet(given: LinkChoices = {}) {
  const { setId, shotIds } = await seedSet(server, {
    status: 'approved',
    shots: [
      { site: 'https://news.example/', device: 'desktop' },
      { site: 'https://news.example/', device: 'mobile' },
    ],
  });
  const path = await linkTo(setId, given);
  const rows = await server.store.db
    .selectFrom('screenshots')
    .select(['id', 'image_token'])
    .where('set_id', '=', setId)
    .orderBy('seq')
    .execute();
  const tokens = rows.map(({ image_token }) => String(image_token));
  return { setId, shotIds, tokens, path };
}

/** @returns the path of a new link. */
async function linkTo(setId: string, given: LinkChoices = {}): Promise<string> {
  const wanted = {
    ...{ organizationId: server.organizationId, setId, label: 'For Anna' },
    ...{ expiresAt: new Date(Date.now() + 3_600_000), downloads: false, answers: true, ...given },
  };
  const actor = { type: 'operator', keyId: null, userId: null, address: null, requestId: null } as const;
  const link = await server.store.db.transaction().execute((tx) => createShareLink(tx, wanted, actor));
  return `/s/${shareToken(server.secret, link.id)}`;
}

async function send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    signal: AbortSignal.timeout(30_000),
  });
  const cookies = response.headers.getSetCookie();
  return { status: response.status, text: await response.text(), cookies, to: response.headers.get('location') };
}

async function ownPage(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  return (await fetch(server.url + path, { headers, signal: AbortSignal.timeout(30_000) })).text();
}

const countAnswers = async (setId: string) =>
  (await server.store.db.selectFrom('share_answers').select('id').where('set_id', '=', setId).execute()).length;

describe('the link of a campaign', () => {
  it('a member shares a campaign, and a client answers a picture of its second set and then all others', async () => {
    const shots = [{ site: 'https://news.example/', device: 'desktop' as const }];
    const { setId: first, shotIds } = await seedSet(server, { status: 'approved', shots });
    const { db } = server.store;
    const { campaign_id: campaignId } = await db
      .selectFrom('screenshot_sets')
      .select('campaign_id')
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const second = await seedSet(server, { status: 'approved', shots, campaignId });
    const names = ['Monday', 'Friday'];
    for (const [at, id] of [first, second.setId].entries())
      await db
        .updateTable('screenshot_sets')
        .set({ name: names[at] ?? '' })
        .where('id', '=', id)
        .execute();
    const own = `/o/demo/campaigns/${campaignId}`;
    const page = await read(server, `${server.url}${own}`);
    page.getByRole('button', { name: 'Share' }).click();
    await page.proceed(page.getByRole('button', { name: 'Create the link' }));
    expect(page.url).toContain(`${own}?created=`);
    const link = await db
      .selectFrom('share_links')
      .selectAll()
      .where('campaign_id', '=', campaignId)
      .executeTakeFirstOrThrow();
    const path = `/s/${shareToken(server.secret, link.id)}`;
    const shared = await open(server.url + path);
    expect(shared.locator('#shared h2').allTextContents()).toEqual([
      'Monday',
      'news.example',
      'Friday',
      'news.example',
    ]);
    const [picture] = await db
      .selectFrom('screenshots')
      .select('image_token')
      .where('id', '=', second.shotIds[0] ?? '')
      .execute();
    const answered = {
      ...ANNA,
      picture: String(picture?.image_token),
      answer: 'changes_requested',
      body: 'Larger, please.',
    };
    expect((await send(`${path}/answers`, answered)).status).toBe(303);
    for (const shown of ['Client: changes', 'Larger, please.'])
      expect(await ownPage(`/o/demo/screenshots/${second.shotIds[0]}`)).toContain(shown);
    expect(await ownPage(`/o/demo/screenshot_sets/${second.setId}`)).toContain('Client: changes');
    expect(await ownPage(`/o/demo/screenshot_sets/${first}`)).not.toContain('Client:');
    const third = await seedSet(server, { status: 'approved', shots, campaignId });
    expect((await send(`${path}/answers`, { ...ANNA, answer: 'approved', body: 'All good.' })).status).toBe(303);
    const answers = await db
      .selectFrom('share_answers')
      .selectAll()
      .where('share_id', '=', link.id)
      .orderBy('created_at')
      .execute();
    expect(answers.map(({ set_id, pictures, comment_id }) => [set_id, pictures, comment_id !== null])).toEqual([
      [second.setId, 1, true],
      [first, 1, false],
      [third.setId, 1, true],
    ]);
    expect(await ownPage(`/o/demo/screenshots/${shotIds[0]}`)).toContain('Client: approved');
    expect(await ownPage(`/o/demo/screenshot_sets/${third.setId}?tab=activity`)).toContain('All good.');
    const again = await open(server.url + path);
    expect(again.locator('#shared').textContent()).toContain('All good.');
    expect(again.locator('#shared').textContent()).toContain('Approved: 2 · Changes requested: 1');
  });
});

describe('answers of clients', () => {
  it('a client without scripts opens the link with its password, answers and comments, and the agency sees it', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet({ password: 'blue horses' });
    const page = await open(`${server.url}${path}/pictures/${tokens[0]}`, 403);
    expect(page.locator('img').count()).toBe(0);
    for (const password of ['red horses', 'blue horses']) {
      page.getByLabel('Password').fill(password);
      await page.proceed(page.getByRole('button', { name: 'Show the pictures' }));
    }
    expect(page.locator('.count').first().textContent()).toBe('1 of 2');
    page.getByLabel('Your name').fill(ANNA.name);
    page.getByLabel('Your e-mail address').fill(ANNA.email);
    page.getByLabel('Comment').fill('The logo is too small.');
    await page.proceed(page.getByRole('button', { name: 'Request changes' }));
    // The next picture, with the name remembered.
    expect(page.locator('.count').first().textContent()).toBe('2 of 2');
    expect(page.getByLabel('Your name').inputValue()).toBe(ANNA.name);
    page.getByLabel('Comment').fill('Nice.');
    await page.proceed(page.getByRole('button', { name: 'Send the comment only' }));
    expect(page.locator('#open-threads').textContent()).toContain('Nice.');
    await page.proceed(page.getByRole('link', { name: 'Previous picture' }));
    expect(page.locator('h1').textContent()).toContain('Changes requested');

    const own = await ownPage(`/o/demo/screenshots/${shotIds[0]}`);
    for (const shown of ['Client: changes', ANNA.name, ANNA.email, 'The logo is too small.', '127.0.0.1'])
      expect(own).toContain(shown);
    const set = await ownPage(`/o/demo/screenshot_sets/${setId}`);
    expect(set).toContain('Client: changes');
    expect(set).toContain('1 comment');

    await page.open(server.url + path);
    expect(page.locator('main').textContent()).toContain('Changes requested: 1 · No answer: 1');
    page.getByRole('button', { name: 'Answer for the rest' }).click();
    expect(page.locator('#for-all').textContent()).toBe(
      'Your answer applies to 1 picture without an answer. The other answers stay.',
    );
    page.locator('#answer-all').getByLabel('Comment').fill('Use the new logo.');
    await page.proceed(page.locator('#answer-all').getByRole('button', { name: 'Approve' }));
    expect(page.locator('main').textContent()).toContain('Approved: 1 · Changes requested: 1');
    expect(page.getByRole('button', { name: /Answer for/ }).count()).toBe(0);
    expect(await ownPage(`/o/demo/screenshots/${shotIds[1]}`)).toContain('Use the new logo.');
    const activity = await ownPage(`/o/demo/screenshot_sets/${setId}?tab=activity`);
    for (const shown of ['Client: approved', 'about 1 picture', ANNA.email, 'For Anna'])
      expect(activity).toContain(shown);
  });

  it('an answer for all keeps the answers that the link has, also one that a client of another link replaced', async () => {
    const { setId, tokens, path } = await sharedSet();
    const other = await linkTo(setId);
    const change = { picture: tokens[0] ?? '', ...ANNA, answer: 'changes_requested', body: 'Wrong logo' };
    const approveAll = { ...ANNA, answer: 'approved', body: '' };
    expect((await send(`${path}/answers`, change)).status).toBe(303);
    expect((await send(`${other}/answers`, approveAll)).status).toBe(303);
    expect((await send(`${path}/answers`, approveAll)).status).toBe(303);
    const none = await send(`${path}/answers`, approveAll);
    expect([none.status, none.text.includes('Open a picture to change its answer')]).toEqual([409, true]);
    const rows = await server.store.db
      .selectFrom('share_answers')
      .select(['answer', 'pictures'])
      .where('set_id', '=', setId)
      .orderBy('created_at')
      .execute();
    expect(rows.map(({ answer, pictures }) => [answer, pictures])).toEqual([
      ['changes_requested', 1],
      ['approved', 2],
      ['approved', 1],
    ]);
  });

  it('an answer for all keeps what another client of the link answers while the page is open', async () => {
    const { setId, tokens, path } = await sharedSet();
    const page = await open(server.url + path);
    expect(page.locator('#for-all').textContent()).toBe('Your answer applies to 2 pictures.');
    const change = { picture: tokens[0] ?? '', ...ANNA, answer: 'changes_requested', body: 'Wrong logo' };
    await send(`${path}/answers`, change);
    page.getByRole('button', { name: 'Answer for all' }).click();
    const form = page.locator('#answer-all');
    form.getByLabel('Your name').fill('Ben');
    form.getByLabel('Your e-mail address').fill('ben@client.example');
    await page.proceed(form.getByRole('button', { name: 'Approve' }));
    expect(page.locator(`#p-${tokens[0]}`).textContent()).toContain('Changes requested');
    expect(page.locator(`#p-${tokens[1]}`).textContent()).toContain('Approved');
    const { rows } =
      await sql`select client_name, pictures from share_answers where set_id = ${setId} order by created_at`.execute(
        server.store.db,
      );
    expect(rows).toEqual([
      { client_name: ANNA.name, pictures: 1 },
      { client_name: 'Ben', pictures: 1 },
    ]);
    // Two at the same moment answer each picture once.
    const other = await sharedSet();
    const approve = (name: string) => send(`${other.path}/answers`, { ...ANNA, name, answer: 'approved', body: '' });
    const sent = await Promise.all(['Ann', 'Ben', 'Cleo'].map(approve));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([303, 409, 409]);
    expect(await countAnswers(other.setId)).toBe(1);
  });

  it('a pin is stored with its comment and drawn for both sides', async () => {
    const { shotIds, tokens, path } = await sharedSet();
    const [picture = ''] = tokens;
    const { status } = await send(`${path}/answers`, { picture, ...ANNA, body: 'Here', pin: '0.25,0.5' });
    expect(status).toBe(303);
    const pins = /<svg class="pins"[^>]*>\s*<a [^>]*><circle /;
    expect(await ownPage(`/o/demo/screenshots/${shotIds[0]}`)).toMatch(pins);
    expect(await ownPage(`${path}/pictures/${picture}`)).toMatch(pins);
  });

  it('an answer about a picture that was replaced keeps its text, and leads to the new picture', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const { token } = await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    const [picture = ''] = tokens;
    const got = await send(`${path}/answers`, { picture, ...ANNA, answer: 'approved', body: 'Looks <good>' });
    expect([got.status, await countAnswers(setId)]).toEqual([410, 0]);
    for (const text of ['This picture was replaced', 'Looks &lt;good&gt;', `${path}/pictures/${token}`])
      expect(got.text).toContain(text);
    expect(await ownPage(`${path}/pictures/${picture}`)).toContain('This picture was replaced');
  });

  it('the answer and the comment of a client stay with a picture after a retake', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const [id = ''] = shotIds;
    const change = { picture: tokens[0] ?? '', ...ANNA, answer: 'changes_requested', body: 'The logo is old' };
    expect((await send(`${path}/answers`, change)).status).toBe(303);
    const asked = /asks for changes to 1 picture: “<bdi>The logo is old/;
    expect(await ownPage('/o/demo/campaigns')).toMatch(asked);
    await seedRetake(server, setId, id, 'approved');
    expect(await ownPage('/o/demo/campaigns')).not.toMatch(asked);
    expect(await ownPage(`/o/demo/screenshot_sets/${setId}`)).toContain('Client: changes');
    const page = await ownPage(`/o/demo/screenshots/${id}`);
    for (const text of ['Client: changes', 'The logo is old', 'about the picture before the retake'])
      expect(page).toContain(text);
  });

  it('the same link shows the new round, what changed, and the answers to what did not', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const [first = '', second = ''] = tokens;
    await send(`${path}/answers`, { picture: first, ...ANNA, answer: 'changes_requested', body: 'The logo is old' });
    await send(`${path}/answers`, { picture: second, ...ANNA, answer: 'approved', body: '' });
    const { token } = await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    const page = await open(server.url + path);
    expect(page.locator('main').textContent()).toContain('Approved: 1 · New version: 1');
    expect(page.locator(`#p-${token} .badge`).textContent()).toBe('New version');
    expect(page.locator(`#p-${second} .badge`).textContent()).toBe('Approved');
    await page.open(`${server.url}${path}/pictures/${token}?with=${first}`);
    const sides = page.locator('.sides img');
    expect(sides.count()).toBe(2);
    expect(sides.nth(1).getAttribute('src')).toContain(first);
    // The link never showed a version that was replaced before its client answered.
    const unseen = await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    await page.open(`${server.url}${path}/pictures/${unseen.token}?with=${token}`);
    expect(page.locator('.sides').count()).toBe(0);
  });

  it('a client reads the reply to a comment about the picture before the retake, and answers it', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const [id = ''] = shotIds;
    await send(`${path}/answers`, { picture: tokens[0] ?? '', ...ANNA, body: 'The logo is old' });
    const { id: thread } = await server.store.db
      .selectFrom('comments')
      .select('id')
      .where('screenshot_id', '=', id)
      .executeTakeFirstOrThrow();
    const { token } = await seedRetake(server, setId, id, 'approved');
    const headers = { authorization: `Bearer ${server.apiKey}` };
    await send(`/o/demo/screenshots/${id}/comments`, { body: 'It is the new one now', reply_to: thread }, headers);
    const shown = await ownPage(`${path}/pictures/${token}`);
    for (const text of ['The logo is old', 'about the picture before the retake', 'It is the new one now'])
      expect(shown).toContain(text);
    const thanks = { picture: token, ...ANNA, body: 'Thanks', reply_to: thread };
    expect((await send(`${path}/answers`, thanks)).status).toBe(303);
    expect(await ownPage(`/o/demo/screenshots/${id}`)).toContain('Thanks');
    expect((await send(`${path}/answers`, { ...thanks, picture: tokens[1] ?? '' })).status).toBe(404);
  });

  it('a link answers only for its own pictures, and only if it allows answers', async () => {
    const [one, other, silent] = [await sharedSet(), await sharedSet(), await sharedSet({ answers: false })];
    const approve = { ...ANNA, answer: 'approved', body: '' };
    expect((await send(`${one.path}/answers`, { ...approve, picture: other.tokens[0] ?? '' })).status).toBe(404);
    expect((await fetch(`${server.url}${one.path}/pictures/${other.tokens[0]}`)).status).toBe(404);
    expect((await send(`${silent.path}/answers`, { ...approve, picture: silent.tokens[0] ?? '' })).status).toBe(403);
    expect(await ownPage(`${silent.path}/pictures/${silent.tokens[0]}`)).not.toContain('Approve');
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await send(`${one.path}/answers`, approve, foreign)).status).toBe(403);
    for (const { setId } of [one, other, silent]) expect(await countAnswers(setId)).toBe(0);
  });

  it('a moving picture is offered as a file only by a link with downloads', async () => {
    const links = [await sharedSet({ downloads: true }), await sharedSet()];
    const offers = [];
    for (const { shotIds, tokens, path } of links) {
      const file = { token: 'a', width: 300, height: 250, bytes: 9, sha256: '' };
      const animation = JSON.stringify({ webp: file, gif: file });
      await server.store.db
        .updateTable('screenshots')
        .set({ animation })
        .where('id', '=', shotIds[0] ?? '')
        .execute();
      const page = await ownPage(`${path}/pictures/${tokens[0]}`);
      expect(page).toContain('Play');
      offers.push(page.includes('GIF, '));
    }
    expect(offers).toEqual([true, false]);
  });

  it('comments of reviewers are not shown to a client', async () => {
    const { shotIds, tokens, path } = await sharedSet();
    const headers = { authorization: `Bearer ${server.apiKey}` };
    await send(`/o/demo/screenshots/${shotIds[0]}/comments`, { body: 'Between us' }, headers);
    expect(await ownPage(`/o/demo/screenshots/${shotIds[0]}`)).toContain('Between us');
    expect(await ownPage(`${path}/pictures/${tokens[0]}`)).not.toContain('Between us');
  });

  it('a cookie opens the link after its password, which can be tried only some times', async () => {
    const { path } = await sharedSet({ password: 'blue horses' });
    const right = await send(`${path}/unlock`, { password: 'blue horses' });
    expect(right.cookies.join()).toMatch(new RegExp(`Path=${path};.*HttpOnly; SameSite=Lax`));
    const cookie = right.cookies.map((one) => one.split(';')[0]).join('; ');
    const open = (given: string) => fetch(server.url + path, { headers: { cookie: given } });
    expect((await open(cookie)).status).toBe(200);
    expect((await open(`${cookie}x`)).status).toBe(403);
    const statuses = [];
    for (let tries = 0; tries < 12; tries += 1)
      statuses.push((await send(`${path}/unlock`, { password: 'red horses' })).status);
    expect(statuses[0]).toBe(403);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('e-mails to clients', () => {
  beforeAll(async () => {
    await server.store.db.updateTable('installation').set({ sends_mail: true }).execute();
  });

  /** Sends what is due. @returns the mails to this address. */
  async function mailsTo(email: string) {
    const { db } = server.store;
    const drawPicture = () => Promise.reject(new Error('There are no files.'));
    const tokenOf = (id: string) => shareToken(server.secret, id);
    const means = { db, log: TEST_LOG, publicUrl: 'https://shots.example', tokenOf, drawPicture };
    while ((await sendClientMails(means, mailer)) > 0);
    return mail.mails.filter(({ to }) => to.includes(email));
  }

  /** Lets so much time pass for everything that a mail may be about. */
  async function pass(interval: string) {
    const { db } = server.store;
    const back = sql`- ${interval}::interval`;
    await sql`update share_followers set asked_at = asked_at ${back}, told_at = told_at ${back}, next_attempt_at = next_attempt_at ${back}`.execute(
      db,
    );
    await sql`update comments set created_at = created_at ${back}`.execute(db);
    await sql`update screenshot_sets set approved_at = approved_at ${back}`.execute(db);
  }

  const follow = (path: string, email: string, more: Record<string, string> = {}) =>
    send(`${path}/answers`, { name: 'Anna', email, answer: 'changes_requested', body: 'Logo', follow: 'yes', ...more });

  it('an address gets nothing but its confirmation, then replies and new pictures, and one click ends them', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const { organizationId } = server;
    const email = 'anna@follow.example';
    const { to } = await follow(path, ' Anna@Follow.Example ', { picture: tokens[0] ?? '' });
    expect(await ownPage(to ?? '')).toContain('You get an e-mail now');
    const { db } = server.store;
    const key = await db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
    const reply = async (body: string) => {
      const thread = await db
        .selectFrom('comments')
        .select('id')
        .where('set_id', '=', setId)
        .where('thread_id', 'is', null)
        .executeTakeFirstOrThrow();
      const text = { body, replyTo: thread.id };
      await db
        .transaction()
        .execute((tx) =>
          addComment(
            tx,
            { organizationId, screenshotId: shotIds[0] ?? '' },
            { text, actor: { ...OPERATOR, keyId: key.id } },
          ),
        );
    };
    await reply('Before the confirmation');
    await pass('10 minutes');
    const [first] = await mailsTo(email);
    expect(first?.parsed.subject).toBe('demo: Yes, send me the replies');
    // Programs that check links open them, which confirms nothing.
    expect(await ownPage(linkOf(first!.parsed))).toContain('Get replies by e-mail?');
    await pass('10 minutes');
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await send(linkOf(first!.parsed), {})).text).toContain('Your address is confirmed');
    await pass('10 minutes');
    expect(await mailsTo(email)).toHaveLength(1);

    await reply('The logo is larger now.');
    expect(await mailsTo(email)).toHaveLength(1);
    await pass('2 minutes');
    const second = (await mailsTo(email))[1]!;
    expect(second.parsed.subject).toBe('demo: Reply: “The logo is larger now.” on news.example, Desktop');
    expect(second.parsed.text).toContain(`https://shots.example${path}/pictures/${tokens[0]}\n`);
    expect(second.parsed.text).not.toContain('Before the confirmation');
    expect(await mailsTo(email)).toHaveLength(2);

    const { setId: round, token } = await seedRetake(server, setId, shotIds[0] ?? '', 'in_review');
    await pass('2 minutes');
    expect(await mailsTo(email)).toHaveLength(2);
    await server.store.db
      .updateTable('screenshot_sets')
      .set({ status: 'approved', approved_at: new Date() })
      .where('id', '=', round)
      .execute();
    await reply('See the new one.');
    await pass('2 minutes');
    const third = (await mailsTo(email))[2]!;
    expect(third.parsed.subject).toMatch(/^demo: Reply: .* on news.example, Desktop, and 1 more$/);
    expect(third.parsed.text).toContain('1 new picture: ');
    expect(third.parsed.text).toContain(`/pictures/${token}\n`);

    const [, stop = ''] =
      /List-Unsubscribe: <https:\/\/shots\.example([^>]+)>/.exec(third.raw.replace(/\r\n\s+/g, ' ')) ?? [];
    expect(third.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect((await send(stop, { 'List-Unsubscribe': 'One-Click' })).text).toContain('No more e-mails');
    await reply('After the end');
    await pass('2 minutes');
    await follow(path, email, { picture: token });
    expect(await mailsTo(email)).toHaveLength(3);
  });

  it('nobody can use a link to send many mails to a stranger, or to many strangers', async () => {
    const { setId, path } = await sharedSet();
    const paths = [path];
    for (let i = 0; i < 7; i += 1) paths.push(await linkTo(setId));
    const [first = '', ...others] = paths.map((each) => readShareToken(server.secret, each.slice(3)) ?? '');
    const ask = (id: string, email: string) => followShare(server.store.db, id, email);
    for (const _ of [1, 2, 3]) await ask(first, 'Stranger@follow.example');
    expect(await mailsTo('stranger@follow.example')).toHaveLength(1);
    for (const id of others) await ask(id, 'stranger@follow.example');
    expect(await mailsTo('stranger@follow.example')).toHaveLength(5);
    for (let i = 0; i < 25; i += 1) await ask(first, `s${i}@many.example`);
    await mailsTo('');
    expect(mail.mails.filter(({ to }) => to[0]?.endsWith('@many.example'))).toHaveLength(19);
    await pass('1 day');
    await ask(first, 'stranger@follow.example');
    expect(await mailsTo('stranger@follow.example')).toHaveLength(6);
  });

  it('an address goes with its link, and a revoked link sends nothing', async () => {
    const { setId, path } = await sharedSet();
    await follow(path, 'gone@follow.example');
    const { db } = server.store;
    const link = await db.selectFrom('share_links').select('id').where('set_id', '=', setId).executeTakeFirstOrThrow();
    await db
      .transaction()
      .execute((tx) => revokeLink(tx, { organizationId: server.organizationId, setId, id: link.id }, OPERATOR));
    expect(await mailsTo('gone@follow.example')).toEqual([]);
    const count = () => db.selectFrom('share_followers').select('id').where('share_id', '=', link.id).execute();
    await OLD_ROWS.share_follower(db, 100);
    expect(await count()).toHaveLength(1);
    await db
      .updateTable('share_links')
      .set({ revoked_at: new Date(Date.now() - 2 * 3_600_000) })
      .where('id', '=', link.id)
      .execute();
    await OLD_ROWS.share_follower(db, 100);
    expect(await count()).toHaveLength(0);
  });
});
