/** Reads the forms of the pages and rejects forms that another site sent. */
import type { Request } from 'express';
import { Failure } from '../../domain/failure.ts';
import type { Permission } from '../../domain/roles.ts';
import { UNKNOWN_GROUPS } from '../../domain/signIns.ts';
import type { Texts } from '../../domain/texts/languages.ts';
import { isSameSignature } from '../../lib/hmac.ts';
import { type Html, html } from '../../lib/html.ts';
import { type Button, button } from './components.ts';
import type { Viewer } from './context.ts';
import { type PagePaths, withParameter } from './paths.ts';

/** Messages that a page shows once. The address names the message, so that no page shows the text of a stranger. */
const NOTICES = {
  not_sent: 'Your session had ended, so the last form changed nothing. You are signed in now: send it again.',
  saved: 'Saved.',
  copied: 'Link copied.',
  link_revoked: 'The link was revoked. You can undo this for ten minutes.',
  deleted: 'Deleted. Its files will be removed within a minute.',
  member_removed: 'Member removed. They no longer have access.',
  schedule_deleted: 'The schedule was deleted. Its sets stay.',
  site_rule_saved: 'The site rule was saved. It applies to pictures from now on.',
  site_rule_deleted: 'The site rule was deleted.',
  site_rules_imported: 'The site rules were imported.',
  key_revoked: 'The key was revoked. It no longer gives access.',
  chat_removed: 'The chat was removed.',
  connector_removed: 'The connector was removed. Deliveries that use it fail until you add a connector with this name.',
  ...UNKNOWN_GROUPS,
} as const;
export type Notice = keyof typeof NOTICES | keyof Texts['share']['sent'];

type HiddenFields = Readonly<Record<string, string | undefined>>;

/** The fields that every form with an effect sends. @param next the page to return to. @param more those without a value are left out. */
export function hiddenFields({ formToken: form }: Viewer, next: string, more: HiddenFields = {}): Html {
  return html`${Object.entries({ form, next, ...more }).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;
}

export interface ActionForm extends Button {
  readonly viewer: Viewer;
  readonly action: string;
  /** The page to return to. */
  readonly next: string;
  readonly fields?: HiddenFields;
}

/** A form with a button and nothing to fill in. */
export function actionForm({ viewer, action, next, fields, ...shown }: ActionForm): Html {
  return html`<form method="post" action="${action}">${hiddenFields(viewer, next, fields)}${button(shown)}</form>`;
}

/** @returns a field of a form; '' if it is missing or sent twice. */
export function formField(request: Pick<Request, 'body'>, name: string): string {
  const [value = '', ...others] = formFields(request, name);
  return others.length === 0 ? value : '';
}

/** @returns all values of a field that a form may send several times. */
export function formFields(request: Pick<Request, 'body'>, name: string): string[] {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null) return [];
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

/** @returns `next` if it is a page of this organization, otherwise the list of sets. It is never an address of another site. */
export function redirectPath(paths: PagePaths, next: string): string {
  const [path = '', query = ''] = next.split(/\?(.*)/s, 2);
  const isOwn = path === paths.organization || path.startsWith(`${paths.organization}/`);
  const isPlain = /^[A-Za-z0-9/_-]+$/.test(path) && !path.includes('//') && /^[\w.~%!$'()*+,;=:@/?&-]*$/.test(query);
  return isOwn && isPlain ? next : paths.organization;
}

/** Whether the headers that browsers set show that a page of this service sent the form. */
export function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  // Browsers omit that header over plain http, and programs send neither header.
  const origin = request.get('origin');
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.get('host');
}

/** @throws Failure (403) if the key or the role of the viewer does not allow it. */
export function requirePermission({ scopes, keyId }: Viewer, wanted: Permission): void {
  if (scopes.includes(wanted)) return;
  const scope = wanted === 'review' ? 'write' : wanted;
  throw forbidden(
    keyId === null
      ? 'Your role in this organization does not allow this. An owner can change it.'
      : `This key lacks the scope "${scope}": sign in with one that has it.`,
  );
}

/** For forms of people who are not signed in. @throws Failure (403) if another site sent the form. */
export function requireSameOrigin(request: Request): void {
  if (!isSameOrigin(request)) throw forbidden('This form was sent from another site.');
}

/** @throws Failure (403) if another site may have sent the form. @param token that of the session. */
export function requireOwnForm(request: Request, token: string): void {
  // A request that carries the key itself does not come from a browser that another site misled.
  if (token === '') return;
  if (!isSameSignature(formField(request, 'form'), token) || !isSameOrigin(request))
    throw forbidden('This form is out of date or came from another site: reload the page and try again.');
}

export function forbidden(text: string): Failure {
  return new Failure({ status: 403, code: 'forbidden', errors: { form: [text] } });
}

/** @returns the text of the message that the address names. @param known those of members unless given. */
export function noticeOf({ query }: Pick<Request, 'query'>, known: object = NOTICES): string | undefined {
  return Object.entries(known).find(([name]) => name === query['notice'])?.[1];
}

/** @returns the address of a page that shows the message. */
export function withNotice(path: string, notice: Notice): string {
  return withParameter(path, 'notice', notice);
}
