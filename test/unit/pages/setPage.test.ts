import { describe, expect, it } from 'vitest';
import { WARNING_CODES } from '../../../src/domain/warnings.ts';
import { html } from '../../../src/lib/html.ts';
import type { Viewer } from '../../../src/pages/parts/context.ts';
import { inPageOrder } from '../../../src/pages/pictures/grouping.ts';
import {
  PER_PAGE,
  type ReviewedPicture,
  type SetFacts,
  type SetPageOptions,
} from '../../../src/pages/pictures/pictures.ts';
import { isInGrid, reviewFilter, setTabs } from '../../../src/pages/set/navigation.ts';
import { notes, setDialogs, setHead } from '../../../src/pages/set/setHead.ts';
import { pictureList } from '../../../src/pages/set/setPage.ts';
import { parseHtml } from '../../support/html/part.ts';
import { adRow, PATHS, picture, READER, setFacts, WRITER } from './samples.ts';

const BLOG = 'https://blog.example/post';
const OPTIONS: SetPageOptions = { viewer: WRITER, paths: PATHS, page: 1, by: 'site', show: 'all' };

const head = (facts: SetFacts, more: Partial<SetPageOptions> = {}) =>
  parseHtml(setHead(facts, { ...OPTIONS, ...more }).text);
const buttonsOf = (facts: SetFacts, more: Partial<SetPageOptions> = {}) =>
  head(facts, more).locator('.actions > button, .actions > a').allInnerTexts();
const tabs = (views: readonly ReviewedPicture[]) =>
  parseHtml(setTabs(setFacts(views), { path: '/set', current: 'pictures', shares: 0 }).text).locator('li');

/** The tab Pictures. */
function list(views: readonly ReviewedPicture[], more: Partial<SetPageOptions> = {}, facts = setFacts(views)) {
  const given = { ...OPTIONS, ...more };
  const ordered = inPageOrder(reviewFilter(views.filter(isInGrid), given.show, facts), given.by);
  const shown = ordered.slice((given.page - 1) * PER_PAGE, given.page * PER_PAGE);
  return parseHtml(pictureList(facts, { ordered, shown }, given).text);
}

describe('the head of a set', () => {
  it.each([
    ['approved', ['uploaded', 'blocked'], 'Ready 1 failed', '1 taken, 1 failed'],
    ['in_review', ['uploaded', 'no_slots'], 'In review 1 failed', '0 of 1 reviewed'],
    ['capturing', ['uploaded', 'pending'], 'Capturing', '1 taken, 1 in progress'],
    ['canceled', ['uploaded', 'canceled', 'canceled'], 'Canceled', '1 taken, 2 canceled'],
    ['failed', ['blocked'], 'Failed', '0 taken, 1 failed'],
  ] as const)('a set that is %s with %j says %s, and %s', (status, shots, label, counts) => {
    const views = shots.map((shot) => picture({ status: shot }));
    const page = head(setFacts(views, { set: { status } }));
    expect(page.locator('h1 .badge').allInnerTexts().join(' ')).toBe(label);
    expect(page.locator('.so-far').textContent()).toContain(counts);
    expect(page.locator('progress').count()).toBe(status === 'in_review' || status === 'capturing' ? 1 : 0);
  });

  it('it offers what a person can do with the set in its state', () => {
    const taken = [picture(), picture({ status: 'pending' })];
    const running = setFacts(taken, { set: { status: 'capturing' } });
    expect(buttonsOf(running)).toEqual(['Share', 'Cancel 1 picture']);
    expect(buttonsOf(setFacts(taken, { set: { status: 'capturing', cancel_requested_at: new Date() } }))).toEqual([
      'Share',
    ]);
    const reviewed = setFacts([picture()], { set: { status: 'in_review' } });
    expect(buttonsOf(reviewed)).toEqual(['Share', 'Download', 'Retake', 'Finish review']);
    const failed = setFacts([picture({ status: 'blocked' })], { set: { status: 'failed' } });
    expect(buttonsOf(failed)).toEqual(['Retake']);
  });

  it('a person who may only read sees no form and no button that changes the set', () => {
    const facts = setFacts([picture()], { set: { status: 'in_review' } });
    expect(buttonsOf(facts, { viewer: READER })).toEqual(['Download']);
    const dialogs = html`${setDialogs(facts, { ...OPTIONS, viewer: READER })}`;
    expect(parseHtml(dialogs.text).locator('form[method="post"]').count()).toBe(0);
    expect(list([picture()], { viewer: READER }, facts).locator('form').count()).toBe(0);
  });

  it('a download offers at most 60 pictures to choose from, in the order of the file and without rejected ones', () => {
    const boxes = (views: ReviewedPicture[], decisions = new Map<string, 'rejected'>()) =>
      parseHtml(html`${setDialogs(setFacts(views, { decisions }), OPTIONS)}`.text)
        .locator('.order input')
        .allAttributes('value');
    const many = (count: number) => Array.from({ length: count }, (_, at) => picture({ id: `p${at}` }));
    expect([2, 60, 61].map((count) => boxes(many(count)).length)).toEqual([2, 60, 0]);
    const other = adRow({ id: 'other', name: 'Leaderboard' });
    const views = [picture({ id: 'a' }), picture({ id: 'b', device: 'mobile' }), picture({ id: 'c', ad: other })];
    expect(boxes(views)).toEqual(['a', 'c', 'b']);
    expect(boxes(views, new Map([['c', 'rejected']]))).toEqual(['a', 'b']);
  });

  it('the question at the end of a review says how many pictures count as approved', () => {
    const views = [picture({ id: 'a' }), picture({ id: 'b' }), picture({ id: 'c' })];
    const facts = setFacts(views, { set: { status: 'in_review' }, decisions: new Map([['b', 'rejected']]) });
    const text = parseHtml(html`${setDialogs(facts, OPTIONS)}`.text)
      .locator('#finish-facts')
      .innerText();
    expect(text).toContain('2 of 3 pictures count as approved, 1 as rejected. 2 of them have no decision yet.');
  });

  it('a set says which retake of it is running, and a person may cancel that one alone', () => {
    const retake = { id: 'later', round: 2, created_at: new Date(), total: 2, resolved: 1 };
    const running = head(setFacts([picture()], { retakes: [{ ...retake, status: 'capturing' }] }));
    expect(running.locator('#head').innerText()).toContain('Retaking 2 pictures');
    expect(running.locator('form[action$="/later/cancel"]').count()).toBe(1);
    const done = head(setFacts([picture()], { retakes: [{ ...retake, status: 'approved' }] }));
    expect(done.locator('form[action$="/later/cancel"]').count()).toBe(0);
  });

  it.each([
    ['Approved automatically', [], 'approved'],
    ['Capturing', ['capturing'], 'approved'],
    ['In review', ['approved', 'in_review'], 'rejected'],
    ['Approved automatically', ['approved'], 'failed'],
    ['Failed', ['failed'], 'failed'],
  ] as const)('all rounds together are %s', (label, retakes, status) => {
    const rounds = retakes.map((each) => ({
      id: each,
      round: 2,
      created_at: new Date(),
      total: 1,
      resolved: 1,
      status: each,
    }));
    expect(
      head(setFacts([picture()], { set: { status }, retakes: rounds }))
        .locator('h1 .badge')
        .innerText(),
    ).toBe(label);
  });

  it('instructions and notes are shown as text', () => {
    const facts = setFacts([], { set: { instructions: 'Above <b>the fold</b>', review_notes: null } });
    const said = parseHtml(html`${notes(facts)}`.text).locator('details');
    expect(said.allInnerTexts()).toEqual(['Instructions Above <b>the fold</b>Above <b>the fold</b>']);
  });
});

describe('the tabs of a set', () => {
  it('failures have a tab if there are any, and those that are being retaken do not count', () => {
    const failed = picture({ status: 'blocked' });
    expect(tabs([picture(), failed]).allInnerTexts()).toEqual(['Pictures 1', 'Failed 1', 'Shared 0', 'Activity']);
    expect(tabs([picture(), { ...failed, runningIn: 'retake' }]).allInnerTexts()).toEqual([
      'Pictures 2',
      'Shared 0',
      'Activity',
    ]);
  });
});

it('the picture of a group counts once', () => {
  const group = { group_name: 'Takeover', image_sha256: 'same' };
  expect(
    tabs([picture(group), picture(group), picture()])
      .first()
      .textContent(),
  ).toMatch(/Pictures\s*2/);
});

describe('the pictures of a set', () => {
  it('a picture that is not taken yet, or is being retaken, has its place', () => {
    const waiting = picture({ status: 'pending', device: 'mobile' });
    const page = list([waiting, picture({ status: 'blocked', runningIn: 'retake' })]);
    expect(page.locator('.shot .meta').allInnerTexts()).toEqual(['Not taken yet']);
    expect(page.locator('.shot .badge').allInnerTexts()).toEqual(['Being retaken']);
    expect(page.locator(`#screenshot-${waiting.id} svg`).getAttribute('viewBox')).toBe('0 0 360 800');
  });

  it('several moments are a film strip, in their order', () => {
    const film = list([2000, 0, 1500].map((marker_ms) => picture({ marker_ms })));
    expect(film.locator('.film .marker').allTextContents()).toEqual(['0.0 s', '1.5 s', '2.0 s']);
  });

  it('a selection offers what its person may do', () => {
    const actions = (scopes: Viewer['scopes']) =>
      list([picture()], { viewer: { ...READER, canReview: scopes.includes('review'), scopes } })
        .locator('.selection button')
        .allInnerTexts();
    const decisions = ['Approve', 'Reject', 'Clear the decision'];
    const all = [...decisions, 'Retake or change the slot', 'Share', 'Download'];
    expect(actions(['read', 'review', 'write'])).toEqual(all);
    expect(actions(['read', 'review'])).toEqual([...decisions, 'Download']);
    expect(actions(['read'])).toEqual([]);
  });

  it('they are grouped by site, device or ad, and failures are not among them', () => {
    const views = [
      picture({ site_url: BLOG, status: 'blocked' }),
      picture(),
      picture({ device: 'mobile', ad: adRow({ id: 'other', name: 'Leaderboard' }) }),
    ];
    const names = (by: SetPageOptions['by']) => list(views, { by }).locator('.group h2').allTextContents();
    expect(names('site')).toEqual(['news.example']);
    expect(names('device')).toEqual(['Desktop', 'Android phone']);
    expect(names('ad')).toEqual(['Summer sale 300×250', 'Leaderboard']);
    const links = list(views, { by: 'ad' }).locator('.pills');
    expect(links.locator('[aria-current]').textContent()).toBe('Ad');
    expect(links.locator('a').allAttributes('href')).toEqual([
      '/o/demo/screenshot_sets/set',
      '/o/demo/screenshot_sets/set?group=device',
      '/o/demo/screenshot_sets/set?group=ad',
    ]);
  });

  it('a reviewer sees only the pictures that nobody reviewed yet, and links keep that choice', () => {
    const views = (['desktop', 'mobile', 'ipad'] as const).map((device) => picture({ id: device, device }));
    const facts = setFacts(views, { set: { status: 'in_review' }, decisions: new Map([['desktop', 'approved']]) });
    const open = list(views, { show: 'open' }, facts);
    expect(open.locator('.pills').first().textContent()).toBe('Show All 3To review 2Approved 1Rejected 0');
    expect(open.locator('.shot .what').allInnerTexts()).toEqual(['Android phone', 'iPad']);
    const byDevice = open.getByRole('link', { name: 'Device' }).getAttribute('href');
    expect(byDevice).toBe('/o/demo/screenshot_sets/set?group=device&show=open');
  });

  it('warnings are beside their picture only', () => {
    const warnings = WARNING_CODES.map((code) => ({ code, message: `A fact with the code ${code}.` }));
    const page = list([picture(), picture({ id: 'warned', site_url: BLOG, warnings })]);
    expect(page.locator('#screenshot-warned .warnings li').allTextContents()).toEqual(
      WARNING_CODES.map((code) => `A fact with the code ${code}.`),
    );
    expect(page.locator('.warnings').count()).toBe(1);
  });

  it('a set that was canceled before its first picture says that it has none', () => {
    const facts = setFacts([picture({ status: 'canceled' })], { set: { status: 'canceled' } });
    expect(
      list([picture({ status: 'canceled' })], {}, facts)
        .getByText('No pictures here.')
        .count(),
    ).toBe(1);
    expect(list([picture()]).getByText('No pictures here.').count()).toBe(0);
  });

  it('1,000 pictures are divided into pages, with a list of their sites', () => {
    const views = Array.from({ length: 1000 }, (_, n) =>
      picture({ site_url: `https://site-${Math.floor(n / 20)}.example/` }),
    );
    const first = list(views);
    expect(first.locator('.shot').count()).toBe(240);
    expect(first.locator('.pages').innerText()).toContain('Page 1 of 5');
    first.getByText('50 sites').click();
    const [path = '', id] =
      first.getByRole('link', { name: 'site-25.example' }).first().getAttribute('href')?.split('#') ?? [];
    expect(path).toBe('/o/demo/screenshot_sets/set?page=3');
    expect(list(views, { page: 3 }).locator(`#${id} h2`).textContent()).toBe('site-25.example');
  });

  it('a name ends its writing direction, and code in it is text', () => {
    const ad = adRow({ id: 'other', name: '\u202E<script>alert(1)</script>' });
    const page = list([picture(), picture({ ad })]);
    expect(page.locator('.shot .ad bdi').last().textContent()).toBe('\u202E<script>alert(1)</script>');
    expect(page.locator('script').count()).toBe(0);
  });

  it('a picture says what was decided about it, and which buttons are pressed', () => {
    const review = { decision: 'rejected', comment: 'Wrong <b>logo</b>' } as const;
    const who = { key_id: 'key', key_name: 'first key', user_id: null, user_name: null, created_at: new Date() };
    const facts = setFacts([], { set: { status: 'in_review' } });
    const cell = list([picture({ review: { ...review, ...who } })], {}, facts).locator('figure');
    expect(cell.locator('figcaption').innerText()).toContain('Wrong <b>logo</b>');
    expect(cell.locator('.badge').textContent()).toBe('Rejected');
    expect(cell.locator('[aria-pressed="true"]').allAttributes('aria-label')).toEqual(['Reject news.example, Desktop']);
    expect(cell.locator('[aria-pressed="true"]').getAttribute('value')).toMatch(/^none:/);
  });
});
