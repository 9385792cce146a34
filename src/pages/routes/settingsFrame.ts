/** The frame of the pages of integrations and settings, and parts that several of them have. */
import { COST } from '../../api/limits/costs.ts';
import type { Queryable } from '../../db/database.ts';
import type { Scope } from '../../domain/keys.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, copyField, pageHead, panel, tabs } from '../parts/components.ts';
import type { ResultsPage } from '../parts/context.ts';
import { answerForm, EMPTY_FORM, type FormState, otherFaults } from '../parts/formFields.ts';
import { hiddenFields, type Notice } from '../parts/forms.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PageResult, type PageRoutes, redirectTo, type ViewerRequest } from './pageRoutes.ts';

interface Framed {
  readonly title: string;
  readonly section: 'integrations' | 'settings';
  /** The scope that a key needs to see the page. */
  readonly scope: Scope;
  path(paths: PagePaths): string;
}

const setting = (title: string, section: Framed['section'], name?: string): Framed => ({
  ...{ title, section, scope: 'admin' },
  path: (paths) => paths.settings(name),
});

/** In the order in which the tabs are shown. */
const PAGES = {
  deliveries: { title: 'Deliveries', section: 'integrations', scope: 'read', path: (paths) => paths.deliveries },
  endpoints: setting('Endpoints', 'integrations', 'endpoints'),
  webhooks: setting('Webhooks', 'integrations', 'webhooks'),
  connectors: setting('S3 connectors', 'integrations', 'connectors'),
  keys: setting('API keys', 'integrations', 'keys'),
  general: setting('General', 'settings'),
  branding: setting('Branding', 'settings', 'branding'),
  notices: setting('Notices', 'settings', 'notices'),
  members: setting('Members', 'settings', 'members'),
  site_rules: { ...setting('Site rules', 'settings', 'site_rules'), scope: 'write' },
  audit_log: setting('Audit log', 'settings', 'audit_log'),
} as const satisfies Record<string, Framed>;

const TITLES = { integrations: 'Integrations', settings: 'Settings' } as const;

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

export function framedPage(
  { viewer, paths }: Given,
  current: keyof typeof PAGES,
  content: Pick<ResultsPage, 'body' | 'status' | 'events'>,
): ResultsPage {
  const { title, section } = PAGES[current];
  const all: readonly Framed[] = Object.values(PAGES);
  const shown = all.filter((page) => page.section === section && viewer.scopes.includes(page.scope));
  const list = shown.map((page) => ({ label: page.title, href: page.path(paths), isCurrent: page.title === title }));
  return {
    ...content,
    title: `${title}, ${TITLES[section].toLowerCase()}`,
    section,
    body: html`${pageHead({ title: TITLES[section] })}
${tabs(TITLES[section], list)}
${content.body}`,
  };
}

/** Shows a secret that was just made. */
export function secretPanel(
  title: HtmlContent,
  text: HtmlContent,
  { value, label }: { value: string; label: string },
): Html {
  return panel(title, html`<p>${text}</p>${copyField(label, value)}`, { status: true });
}

interface FormAction<R, T> {
  /** Reads the form before the transaction. @throws Failure (409, 422) */
  read?(given: ViewerRequest): R | Promise<R>;
  /** Does what the form asks for, in one transaction. */
  act(tx: Queryable, given: ViewerRequest, read: R): Promise<T>;
  /** Ends the request; with the page of the frame and the notice unless given. */
  answer?(given: ViewerRequest, done: T): PageResult | Promise<PageResult>;
  /** "Saved." unless given. */
  readonly notice?: Notice;
  /** Shows the form again with its faults. */
  again?(given: ViewerRequest, form: FormState): Promise<PageResult>;
  readonly cost?: number;
}

/** Adds a form of the settings that changes something. */
export function addAction<T, R = undefined>(
  pages: PageRoutes,
  { page, path }: { readonly page: keyof typeof PAGES; readonly path: string },
  { read, act, answer, notice = 'saved', again, cost = COST.usual }: FormAction<R, T>,
): void {
  const { db } = pages.options.store;
  const run = async (given: ViewerRequest) => {
    const input = (await read?.(given)) as R;
    const done = await db.transaction().execute((tx) => act(tx, given, input));
    return answer === undefined ? redirectTo(given, PAGES[page].path(given.paths), notice) : answer(given, done);
  };
  const handle = (given: ViewerRequest) =>
    again === undefined
      ? run(given)
      : answerForm(given, { run: () => run(given), again: (form) => again(given, form) });
  pages.post(path, handle, { scope: PAGES[page].scope, cost });
}

interface Question {
  readonly question: HtmlContent;
  /** Says which effect the action has. */
  readonly text: HtmlContent;
  readonly fields?: HtmlContent;
  readonly button: string;
}

interface AskedAction<R, T> extends FormAction<R, T> {
  /** @returns undefined if there is no such object. */
  ask(given: ViewerRequest): Promise<Question | undefined> | Question;
}

/** Adds a page that asks before something is removed or replaced, and its form. */
export function addAskedAction<T, R = undefined>(
  pages: PageRoutes,
  at: { readonly page: keyof typeof PAGES; readonly path: string },
  { ask, ...action }: AskedAction<R, T>,
): void {
  const show = async (given: ViewerRequest, form = EMPTY_FORM): Promise<PageResult> => {
    const { viewer, paths, request } = given;
    const asked = await ask(given);
    if (asked === undefined) return undefined;
    const back = PAGES[at.page].path(paths);
    const body = panel(
      asked.question,
      html`${otherFaults(form.errors, [])}${asked.text}
<form class="stack" method="post" action="${paths.base}${request.path}">${hiddenFields(viewer, back)}${asked.fields}
<p class="actions">${button({ label: asked.button, kind: 'danger' })} <a href="${back}">Keep it</a></p></form>`,
    );
    return framedPage(given, at.page, { body, status: form.status });
  };
  pages.get(at.path, (given) => show(given), { scope: PAGES[at.page].scope });
  addAction(pages, at, { again: show, ...action });
}
