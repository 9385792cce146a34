/** The page on which a member chooses notices, and the one that ends them by a link of a mail. */
import {
  forgetRefusals,
  isMailSent,
  readChoices,
  readUnsubscribeToken,
  saveChoices,
  unsubscribe,
} from '../../core/notices/choices.ts';
import { invalid } from '../../domain/failure.ts';
import {
  DAY_HOUR,
  NOTICE_KINDS,
  NOTICES,
  type NoticeKind,
  PER_HOUR_MAX,
  TIMING_TEXTS,
  TIMINGS,
  type Timing,
} from '../../domain/notices.ts';
import { storable } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, pageHead, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import {
  answerForm,
  type Choice,
  EMPTY_FORM,
  otherFaults,
  selectField,
  TIME_ZONE_CHOICES,
} from '../parts/formFields.ts';
import { actionForm, formField, hiddenFields } from '../parts/forms.ts';
import { messagePage, notePage } from '../parts/layout.ts';
import { pathsOf } from '../parts/paths.ts';
import { type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';

export function addNoticeRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/notices';
  pages.get(path, (given) => noticesPage(options, given));
  pages.post(
    path,
    (given) => {
      const { request, viewer, paths } = given;
      const run = async () => {
        const timings = new Map(NOTICE_KINDS.map((kind) => [kind, timingOf(kind, formField(request, kind))]));
        const member = memberOf(viewer);
        if (member === undefined) return undefined;
        const timeZone = storable(formField(request, 'time_zone'));
        await db.transaction().execute((tx) => saveChoices(tx, member, { timings, timeZone }));
        return redirectTo(given, `${paths.organization}/notices`, 'saved');
      };
      return answerForm(given, { run, again: (form) => noticesPage(options, given, form) });
    },
    { scope: 'read' },
  );
  pages.post(
    `${path}/resume`,
    async (given) => {
      const { viewer, paths } = given;
      if (viewer.userId === null) return undefined;
      await forgetRefusals(db, viewer.userId);
      return redirectTo(given, `${paths.organization}/notices`, 'saved');
    },
    { scope: 'read' },
  );
  addUnsubscribeRoutes(pages);
}

/** @throws Failure (422) */
function timingOf(kind: NoticeKind, typed: string): Timing {
  const timing = TIMINGS.find((one) => one === typed);
  if (timing === undefined) throw invalid({ [kind]: ['must be one of the list.'] });
  return timing;
}

const memberOf = ({ organizationId, userId }: ViewerRequest['viewer']) =>
  userId === null ? undefined : { organizationId, userId };

async function noticesPage(
  { store }: PagesOptions,
  { viewer, paths }: ViewerRequest,
  form = EMPTY_FORM,
): Promise<ResultsPage> {
  const member = memberOf(viewer);
  const choices = member && (await readChoices(store.db, member));
  if (choices === undefined)
    return messagePage('Notices', 'Only people receive notices by e-mail. You are signed in with an API key.', 403);
  const { email, stopped, timings } = choices;
  const path = `${paths.organization}/notices`;
  const times = TIMINGS.map((timing): Choice => [timing, TIMING_TEXTS[timing]]);
  const own: Choice = [choices.timeZone, choices.timeZone];
  const isListed = TIME_ZONE_CHOICES.some(([name]) => name === choices.timeZone);
  const timingField = (kind: NoticeKind) =>
    selectField({ name: kind, label: NOTICES[kind].label, value: timings.get(kind) ?? 'none', choices: times }, form);
  const zone = {
    ...{ name: 'time_zone', label: 'Time zone', value: choices.timeZone },
    choices: isListed ? TIME_ZONE_CHOICES : [own, ...TIME_ZONE_CHOICES],
    hint: `Daily digests are sent at ${DAY_HOUR}:00 in this zone.`,
  };
  const fields = html`${otherFaults(form.errors, [...NOTICE_KINDS, 'time_zone'])}
<form class="fields" method="post" action="${path}">${hiddenFields(viewer, path)}
${NOTICE_KINDS.map(timingField)}
${selectField(zone, form)}
${button({ label: 'Save', kind: 'primary' })}</form>
<p class="meta">“Immediately” means within about a minute.
  After ${PER_HOUR_MAX} e-mails in an hour, the rest are combined in the next hour.</p>`;
  const again = actionForm({ viewer, action: `${path}/resume`, next: path, label: 'Resume e-mails' });
  const body = html`${pageHead({ title: 'Notices' })}
${await stateOfMail(store, { email, stopped, again })}
${panel(html`By e-mail, about <bdi>${viewer.slug}</bdi>`, fields)}`;
  return { title: 'Notices', body, status: form.status };
}

async function stateOfMail(
  { db }: PagesOptions['store'],
  { email, stopped, again }: { email: string | null; stopped: string | undefined; again: Html },
): Promise<HtmlContent> {
  if (!(await isMailSent(db)))
    return html`<p class="note warnings">This service has no mail server, so it sends no notices by e-mail.</p>`;
  if (email === null)
    return html`<p class="note warnings">Your account has no verified e-mail address, so you receive no e-mails.</p>`;
  if (stopped === undefined) return html`<p class="meta">E-mails are sent to <bdi>${email}</bdi>.</p>`;
  const problem = html`the mail server rejected your address <bdi>${email}</bdi> several times in a row`;
  return html`<div class="note warnings">
    <p><strong>You receive no e-mails, because ${problem}.</strong></p>
    <p>Its last response: ${stopped}</p>
    ${again}
  </div>`;
}

/** One click in the mail program sends POST (RFC 8058). GET changes nothing, because programs that check links open them. */
function addUnsubscribeRoutes(pages: PageRoutes): void {
  const { options, router } = pages;
  const { db } = options.store;
  const paths = pathsOf(options.publicUrl, '');
  const unknown = messagePage('Unknown link', 'This link is not valid. Open the page “Notices” of your account.', 404);
  router.get('/unsubscribe/:token', (request, response) => {
    options.openLimits?.takeOfAddress(request, response);
    const { token } = request.params;
    const isKnown = readUnsubscribeToken(options.secret, token) !== undefined;
    pages.send(response, isKnown ? askPage(`${paths.base}/unsubscribe/${token}`) : unknown, { paths });
  });
  router.post('/unsubscribe/:token', async (request, response) => {
    options.openLimits?.takeOfAddress(request, response);
    const member = readUnsubscribeToken(options.secret, request.params.token);
    if (member !== undefined) await db.transaction().execute((tx) => unsubscribe(tx, member));
    pages.send(response, member === undefined ? unknown : DONE, { paths });
  });
}

const DONE = messagePage(
  'No more notices',
  'You will get no more notices about this organization. You can change this on the page “Notices” of your account.',
  200,
);

function askPage(path: string): ResultsPage {
  const body = html`<p>You will no longer receive e-mails about this organization. Nothing else changes.</p>
<form method="post" action="${path}">${button({ label: 'Stop notices', kind: 'primary' })}</form>`;
  return { ...notePage('Stop notices?', body), isShared: true };
}
