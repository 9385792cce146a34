/** The page "Your account": name, organizations and sessions of a person. */
import type { Request, Response } from 'express';
import { endSessions, listSessions, type Person, type SessionRow } from '../../core/people/sessions.ts';
import { changeUser, nameOf, USER_NAME_MAX } from '../../core/people/users.ts';
import { isLanguage, LANGUAGE_CHOICES } from '../../domain/texts/languages.ts';
import { html } from '../../lib/html.ts';
import { badge, button, type Column, pageHead, panel, table } from '../parts/components.ts';
import type { ResultsPage } from '../parts/context.ts';
import { clearCookie } from '../parts/cookies.ts';
import { EMPTY_FORM, selectField, textField } from '../parts/formFields.ts';
import { formField, noticeOf, requireOwnForm } from '../parts/forms.ts';
import { timeElement } from '../parts/labels.ts';
import { notePage } from '../parts/layout.ts';
import { addressOf, pathsOf, rootPath } from '../parts/paths.ts';
import { formBody, type PageRoutes } from '../routes/pageRoutes.ts';
import { findSignedIn, PERSON_COOKIE, personFormToken } from '../signIn/viewer.ts';
import { recordForAll } from './personSession.ts';

export function addAccountRoutes(pages: PageRoutes): void {
  const { options, router } = pages;
  const paths = pathsOf(options.publicUrl, '');
  const { db } = options.store;
  const path = `${paths.base}/account`;
  router.get('/account', async (request, response) => {
    const person = await findSignedIn(db, request);
    if (person === undefined) return response.redirect(302, addressOf(`${paths.base}/sign-in`, { next: path }));
    response.set('Cache-Control', 'no-store');
    const sessions = await listSessions(db, person.userId);
    pages.send(
      response,
      accountPage(person, { sessions, base: paths.base, token: personFormToken(options.secret, person) }),
      { paths, notice: noticeOf(request) },
    );
  });
  type Act = (person: Person, exchange: { request: Request; response: Response }) => Promise<unknown>;
  const post = (at: string, act: Act) =>
    router.post(at, formBody(), async (request, response) => {
      const person = await findSignedIn(db, request);
      if (person === undefined) return response.redirect(303, addressOf(`${paths.base}/sign-in`, { next: path }));
      requireOwnForm(request, personFormToken(options.secret, person));
      await act(person, { request, response });
    });
  post('/account/name', async ({ userId, email }, { request, response }) => {
    const [name, language] = [nameOf(formField(request, 'name'), email), formField(request, 'language')];
    await changeUser(db, userId, { name, language: isLanguage(language) ? language : null });
    response.redirect(303, path);
  });
  post('/account/sessions/:id/end', async (person, { request, response }) => {
    const [{ userId }, id] = [person, String(request.params['id']).toLowerCase()];
    await db.transaction().execute(async (tx) => {
      const { count } = await endSessions(tx, { userId, id });
      if (count > 0) await recordForAll(tx, { request, response }, { ...person, sessionId: id }, 'session.ended');
    });
    response.redirect(303, path);
  });
  const leave =
    (isEverywhere: boolean): Act =>
    async (person, { request, response }) => {
      const { userId, sessionId } = person;
      const { idToken } = await db.transaction().execute(async (tx) => {
        const ended = await endSessions(tx, { userId, id: sessionId });
        if (isEverywhere) await endSessions(tx, { userId });
        await recordForAll(tx, { request, response }, person, 'session.ended');
        return ended;
      });
      clearCookie(response, PERSON_COOKIE, { publicUrl: options.publicUrl, path: rootPath(paths) });
      await sayGoodbye(pages, response, idToken);
    };
  post('/account/sign-out', leave(false));
  post('/account/sign-out-everywhere', leave(true));
}

/**
 * The browser continues to the provider automatically. A redirect would be part of the form, whose targets the pages
 * restrict to this site.
 */
async function sayGoodbye(
  { options, send }: PageRoutes,
  response: Response,
  idToken: string | undefined,
): Promise<void> {
  const paths = pathsOf(options.publicUrl, '');
  const { provider, log, publicUrl } = options;
  const url =
    idToken === undefined
      ? undefined
      : await provider?.signOutUrl(idToken, publicUrl).catch((error: unknown) => {
          log.error({ err: error }, 'the OpenID Connect provider did not answer; its session stays open');
          return undefined;
        });
  response.set('Cache-Control', 'no-store');
  if (url !== undefined) response.set('Refresh', `0; url=${url}`);
  const text = html`<p>You are signed out of Tearsheet.</p>
    ${url !== undefined && html`<p><a href="${url}">Sign out of your company account too</a></p>`}
    <p><a href="${rootPath(paths)}">Sign in again</a></p>`;
  send(response, notePage('Signed out', text), { paths });
}

interface AccountGiven {
  readonly sessions: readonly SessionRow[];
  readonly base: string;
  readonly token: string;
}

const NAME_FIELD = {
  ...{ name: 'name', label: 'Name', isRequired: true, max: USER_NAME_MAX, autocomplete: 'name' },
  hint: 'Members of your organizations see it next to your actions.',
};

const LANGUAGE_FIELD = {
  ...{ name: 'language', label: 'Language of e-mails' },
  choices: [['', 'As each organization'], ...LANGUAGE_CHOICES] as const,
};

function accountPage(person: Person, { sessions, base, token }: AccountGiven): ResultsPage {
  const { name, email, language, memberships, sessionId } = person;
  const hidden = html`<input type="hidden" name="form" value="${token}">`;
  const membership = ({ slug, role }: Person['memberships'][number]) =>
    html`<li><a href="${base}/o/${slug}">${slug}</a> <span class="meta">${role}</span></li>`;
  const organizations =
    memberships.length === 0
      ? html`<p>You are not a member of any organization. Ask an owner to invite you.</p>`
      : html`<ul class="plain">${memberships.map(membership)}</ul>`;
  const columns: Column<SessionRow>[] = [
    {
      label: 'Browser',
      kind: 'main',
      cell: ({ id, user_agent: agent }) =>
        html`<bdi>${browserOf(agent)}</bdi>${id === sessionId && html` ${badge('active', 'This session')}`}`,
    },
    {
      label: 'Signed in',
      cell: ({ created_at, method, address }) => {
        const way = method === 'provider' ? 'with the company account' : 'with a link';
        const from = address !== null && `, from ${address}`;
        return html`${timeElement(created_at)} <span class="meta">${way}${from}</span>`;
      },
    },
    { label: 'Last use', kind: 'time', cell: (row) => timeElement(row.last_used_at) },
    { label: 'Ends', kind: 'time', cell: (row) => timeElement(row.expires_at) },
    {
      label: 'Action',
      kind: 'action',
      cell: ({ id }) =>
        id !== sessionId &&
        html`<form method="post" action="${base}/account/sessions/${id}/end">${hidden}${button({ label: 'End' })}</form>`,
    },
  ];
  const signOut = html`<form method="post" action="${base}/account/sign-out">
    ${hidden}${button({ label: 'Sign out', icon: 'log-out' })}
  </form>`;
  const body = html`${pageHead({ title: 'Your account', actions: signOut })}
${panel(
  'You',
  html`<p class="meta"><bdi>${email ?? 'No verified address, so you receive no e-mails.'}</bdi></p>
<form class="fields" method="post" action="${base}/account/name">
  ${hidden}
  ${textField(NAME_FIELD, { values: { name }, errors: {} })}
  ${selectField({ ...LANGUAGE_FIELD, value: language ?? '' }, EMPTY_FORM)}
  ${button({ label: 'Save', kind: 'primary' })}
</form>`,
)}
${panel('Organizations', organizations)}
${panel(
  'Sessions',
  html`${table({ columns, rows: sessions })}
<form method="post" action="${base}/account/sign-out-everywhere">
  ${hidden}${button({ label: 'Sign out everywhere', kind: 'danger' })}
</form>`,
)}`;
  return { title: 'Your account', body };
}

const BROWSERS = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/;
const SYSTEMS = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/;

/** For example "Chrome 131 on Windows"; the header itself if it names no known browser. */
function browserOf(agent: string | null): string {
  const [, browser, version] = BROWSERS.exec(agent ?? '') ?? [];
  const system = SYSTEMS.exec(agent ?? '')?.[1];
  if (browser === undefined) return agent ?? 'Unknown';
  return `${browser} ${version}${system === undefined ? '' : ` on ${system}`}`;
}
