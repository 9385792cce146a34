/** The forms of shared pages: who answers, what, and the password of a link. People have no account here. */
import type { Request } from 'express';
import { ClientComment } from '../../contract/sharing.ts';
import { SHARE_PASSWORD_MAX } from '../../domain/shareLinks.ts';
import type { Texts } from '../../domain/texts/languages.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import { cookiesOf } from '../parts/cookies.ts';
import { checkbox, textField } from '../parts/formFields.ts';
import { forbidden, formField, isSameOrigin } from '../parts/forms.ts';
import { formTable, renderFields } from '../parts/formTable.ts';
import { commentField, pinField } from '../pictures/threads.ts';

/** The person who answers. Stored only in a cookie of this person's browser, and with each answer. */
export interface Client {
  readonly name: string;
  readonly email: string;
}

export const CLIENT_COOKIE = 'tearsheet_client';
export const UNLOCK_COOKIE = 'tearsheet_unlock';

export function readClient(request: Request): Client {
  const given = new URLSearchParams(cookiesOf(request, CLIENT_COOKIE)[0]);
  return { name: given.get('name') ?? '', email: given.get('email') ?? '' };
}

/**
 * Rejects the form of another site. Shared pages send no referrer, so browsers name the origin of their forms "null";
 * over plain http they send nothing else. A form still needs the address of the link, which is its secret.
 * @throws Failure (403)
 */
export function requireShareForm(request: Request): void {
  const isNull = request.get('origin') === 'null' && request.get('sec-fetch-site') === undefined;
  if (!isNull && !isSameOrigin(request))
    throw forbidden('This form came from another site: open the link again and answer there.');
}

/** The contents of a form, as `ClientAnswer` and `ClientComment` name them. */
export const clientOf = (request: Request): Client => ({
  name: formField(request, 'name'),
  email: formField(request, 'email'),
});

interface FormOptions {
  /** The path of the link. */
  readonly path: string;
  readonly client: Client;
  /** The token of the picture; undefined: all pictures. */
  readonly picture?: string;
  /** Whether the service sends mails. */
  readonly canFollow: boolean;
  readonly texts: Texts;
}

const CLIENT = formTable(ClientComment, {
  name: { label: '', autocomplete: 'name' },
  email: { label: '', kind: 'email', autocomplete: 'email' },
});

/** @param id begins the ids of the fields, because a page has several such forms. */
function clientFields({ client, texts }: Pick<FormOptions, 'client' | 'texts'>, id: string): Html {
  const { name, email, example } = texts.share.you;
  const more = html` pattern="[^@\\s]+@[^@\\s]+\\.[^@\\s]+" title="${example}"`;
  const known = { name: { id: `${id}-name`, label: name }, email: { id: `${id}-email`, label: email, more } };
  return renderFields(CLIENT, { stored: client, known });
}

const pictureField = (picture: string | undefined) =>
  picture !== undefined && html`<input type="hidden" name="picture" value="${picture}">`;

/** The buttons of the form with {@link answerForm}; they may stand elsewhere on the page. */
export function answerButtons({ share: { actions } }: Texts, answer?: string): Html {
  const choice = (value: keyof typeof actions, icon: 'check' | 'pencil', key: string) =>
    button({ name: 'answer', value, label: actions[value], icon, key, form: 'answer', isPressed: answer === value });
  return html`${choice('changes_requested', 'pencil', 'r')}${choice('approved', 'check', 'a')}`;
}

/** An answer or a comment. */
export function answerForm(options: FormOptions, buttons: HtmlContent): Html {
  const { path, picture, canFollow, texts } = options;
  const { form, follow } = texts.share;
  return html`<form id="answer" class="stack" method="post" action="${path}/answers">
${pictureField(picture)}${clientFields(options, 'answer')}
${commentField('comment', html`${texts.parts.threads.comment} <span class="meta">${form.optional}</span>`, false)}
${canFollow && checkbox({ name: 'follow', label: follow, isChecked: false })}
<div class="bar">${buttons}${picture !== undefined && pinField(texts.parts)}</div></form>`;
}

/** @param id of the first comment of the thread. */
export function replyForm(options: Omit<FormOptions, 'canFollow'>, id: string): Html {
  const { path, client, picture } = options;
  const { reply } = options.texts.share.form;
  const known = client.name !== '' && client.email !== '';
  const who = known
    ? html`<input type="hidden" name="name" value="${client.name}"><input type="hidden" name="email" value="${client.email}">`
    : clientFields(options, `reply-${id}`);
  return html`<details>
  <summary>${reply}</summary>
  <form class="stack" method="post" action="${path}/answers">
    ${pictureField(picture)}<input type="hidden" name="reply_to" value="${id}">
    ${who}${commentField(`reply-${id}`, reply)}${button({ label: reply })}
  </form>
</details>`;
}

/** The page that a reader without the password opened. */
export interface LockedAddress {
  /** The path of the link. */
  readonly path: string;
  /** The token of a picture; '' for the first page. */
  readonly picture: string;
  /** Whether the reader gave another password. */
  readonly isWrong?: boolean;
}

const PASSWORD = {
  name: 'password',
  type: 'password',
  isRequired: true,
  max: SHARE_PASSWORD_MAX,
  autocomplete: 'current-password',
  more: html` autofocus`,
} as const;

export function passwordForm({ path, picture, isWrong = false }: LockedAddress, share: Texts['share']): Html {
  const { label, title, show } = share.password;
  const errors = isWrong ? { password: [share.key.wrong] } : {};
  return html`<section class="signin"><h1>${title}</h1><p>${share.key.hint}</p>
<form class="stack" method="post" action="${path}/unlock">
${picture !== '' && pictureField(picture)}${textField({ ...PASSWORD, label }, { values: {}, errors })}
${button({ label: show, kind: 'primary' })}</form></section>`;
}
