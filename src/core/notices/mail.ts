/** The mail of a notice. Its text part says everything; the HTML part follows the dark mode of the reader. */
import { textsOf } from '../../domain/texts/languages.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { NoticeObject } from './collect.ts';
import type { MailLook, ShownPicture } from './mailPictures.ts';
import type { NoticeItem } from './noticeText.ts';

interface NoticeMail {
  readonly to: string;
  readonly notice: NoticeObject;
  /** The same in each attempt, so that a mail that arrives twice is shown once. */
  readonly deliveryId: string;
  /** Mails about one set are one thread. */
  readonly setId: string | null;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly look: MailLook;
  /** The page on which the person chooses. */
  readonly choicesUrl: string;
  /** Ends the notices of this organization, without signing in. */
  readonly unsubscribeUrl: string;
}

export function noticeMail(given: NoticeMail): Mail {
  const { to, notice, deliveryId, setId, publicUrl, unsubscribeUrl, choicesUrl, look } = given;
  const { host, hostname } = new URL(publicUrl);
  const thread =
    setId === null ? {} : { References: `<set-${setId}@${host}>`, 'In-Reply-To': `<set-${setId}@${host}>` };
  const { memberMail } = textsOf(notice.language);
  const links = [
    [memberMail.choose, choicesUrl],
    [memberMail.stop(notice.organization), unsubscribeUrl],
  ] as const;
  const name = look.name ?? notice.organization;
  return {
    to,
    ...letterOf({ ...notice, look, name, why: memberMail.why(notice.organization), links }),
    headers: {
      'Message-ID': `<notice-${deliveryId}@${host}>`,
      ...thread,
      ...headersOf(unsubscribeUrl),
      'List-Id': `<notices.${notice.organization}.${hostname}>`,
    },
  };
}

/** Mail programs show a button that ends the mails (RFC 8058). */
export const headersOf = (unsubscribeUrl: string) => ({
  'Auto-Submitted': 'auto-generated',
  'List-Unsubscribe': `<${unsubscribeUrl}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

export function titleOf({ items, more, language }: Pick<NoticeObject, 'items' | 'more' | 'language'>): string {
  const [first] = items;
  const others = items.length + more - 1;
  if (first === undefined || others === 0) return first?.title ?? '';
  return textsOf(language).notices.andMore(first.title, others);
}

/** The parts of a mail to members and clients. */
interface Letter extends Pick<NoticeObject, 'items' | 'more' | 'language'> {
  readonly look: MailLook;
  /** The name of the organization. */
  readonly name: string;
  /** Why the reader gets the mail. */
  readonly why: string;
  /** Below the mail. */
  readonly links: readonly (readonly [label: string, url: string])[];
}

export function letterOf(letter: Letter): Pick<Mail, 'subject' | 'text' | 'html' | 'attachments'> {
  const { logo, pictures } = letter.look;
  const attachments = [...(logo ? [logo] : []), ...pictures.values()];
  return { subject: titleOf(letter), text: textPart(letter), html: htmlPart(letter), attachments };
}

function textPart({ items, more, language, why, links }: Letter): string {
  const item = ({ title, text, url }: NoticeItem) => `${[title, text, url].filter(Boolean).join('\n')}\n`;
  const unlisted = more > 0 ? [`${textsOf(language).notices.unlisted(more)}\n`] : [];
  const foot = links.map(([label, url]) => `${label}: ${url}`);
  return [...items.map(item), ...unlisted, '-- ', why, ...foot, ''].join('\n');
}

const FONT = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
/** Programs that do not know it keep the inline colors, or change them by themselves. */
const DARK = `@media (prefers-color-scheme: dark) {
body, .page { background:#16181a !important; color:#e8eaeb !important }
.item { background:#212426 !important; border-color:#3a3f42 !important }
.quiet, .quiet a { color:#a3abaf !important } .item a { color:#8fd0dc !important } }`;

const WRAPPED = 'overflow-wrap:anywhere;word-break:break-word';

/** Attributes are for Outlook, which ignores most styles. */
const imageOf = ({ cid, width, height }: ShownPicture, alt: string): HtmlContent =>
  html`<img src="cid:${cid}" alt="${alt}" width="${width}" height="${height}"
style="display:block;max-width:100%;height:auto;border:0">`;

function itemPart({ title, text, url }: NoticeItem, shown: ShownPicture | undefined): HtmlContent {
  return html`
<div class="item" style="margin:0 0 12px;padding:14px 16px;border:1px solid #d8dddf;border-radius:8px;background:#ffffff">
<h2 style="margin:0;font-size:17px;line-height:1.35;${WRAPPED}"><a href="${url}" style="color:#1f5f6b">${title}</a></h2>
${text !== '' && html`<p style="margin:6px 0 0;font-size:15px;line-height:1.5;white-space:pre-line;${WRAPPED}">${text}</p>`}
${shown && html`<a href="${url}" style="display:block;margin:10px 0 0">${imageOf(shown, '')}</a>`}</div>`;
}

function htmlPart(letter: Letter): string {
  const { items, more, language, look, name, why, links } = letter;
  // Each picture is shown once.
  const pictureOf = (item: NoticeItem) =>
    items.find(({ picture }) => picture === item.picture) === item ? look.pictures.get(item.picture ?? '') : undefined;
  const foot = links.map(
    ([label, url], at) => html`${at > 0 && ' · '}<a href="${url}" style="color:#5a646a">${label}</a>`,
  );
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${titleOf(letter)}</title>
<style>:root { color-scheme: light dark; supported-color-schemes: light dark } ${DARK}</style></head>
<body style="margin:0;padding:0;background:#f3f5f6;color:#1c2226">
<div class="page" style="max-width:600px;margin:0 auto;padding:20px 16px;background:#f3f5f6;color:#1c2226;${FONT}">
${look.logo && html`<div class="logo" style="display:inline-block;margin:0 0 10px;background:#ffffff;padding:6px;border-radius:6px">${imageOf(look.logo, name)}</div>`}
<p class="quiet" style="margin:0 0 14px;font-size:14px;color:#5a646a">${name}</p>
${items.map((item) => itemPart(item, pictureOf(item)))}
${more > 0 && html`<p style="margin:0 0 12px;font-size:15px">${textsOf(language).notices.unlisted(more)}</p>`}
<p class="quiet" style="margin:18px 0 0;font-size:13px;line-height:1.5;color:#5a646a">${why}<br>
${foot}</p>
</div></body></html>
`.text;
}
