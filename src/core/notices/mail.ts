/** The mail of a notice. Its text part says everything; the HTML part has no pictures and follows the dark mode of the reader. */
import { type HtmlContent, html } from '../../lib/html.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { NoticeObject } from './collect.ts';
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
  /** The page on which the person chooses. */
  readonly choicesUrl: string;
  /** Ends the notices of this organization, without signing in. */
  readonly unsubscribeUrl: string;
}

export function noticeMail(given: NoticeMail): Mail {
  const { to, notice, deliveryId, setId, publicUrl, unsubscribeUrl } = given;
  const { host } = new URL(publicUrl);
  const thread =
    setId === null ? {} : { References: `<set-${setId}@${host}>`, 'In-Reply-To': `<set-${setId}@${host}>` };
  return {
    to,
    subject: `[${notice.organization}] ${titleOf(notice)}`,
    text: textPart(given),
    html: htmlPart(given),
    headers: {
      'Message-ID': `<notice-${deliveryId}@${host}>`,
      ...thread,
      'Auto-Submitted': 'auto-generated',
      'List-Id': `<notices.${notice.organization}.${new URL(publicUrl).hostname}>`,
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

export function titleOf({ items, more }: NoticeObject): string {
  const [first] = items;
  const count = items.length + more;
  if (count === 1 && first !== undefined) return first.title;
  const others = (count - 1).toLocaleString('en');
  return first?.asksForChanges === true
    ? `${first.title}, and ${others} more`
    : `${count.toLocaleString('en')} notices`;
}

export const moreText = (more: number) => `And ${more.toLocaleString('en')} more, which are not listed here.`;

function textPart({ notice, choicesUrl, unsubscribeUrl }: NoticeMail): string {
  const item = ({ title, text, url }: NoticeItem) => `${title}\n${text}\n${url}\n`;
  return [
    ...notice.items.map(item),
    ...(notice.more > 0 ? [`${moreText(notice.more)}\n`] : []),
    '-- ',
    `You receive this because you are a member of ${notice.organization}. Sign in to open the pages.`,
    `Choose what you receive: ${choicesUrl}`,
    `Stop notices about ${notice.organization}: ${unsubscribeUrl}`,
    '',
  ].join('\n');
}

const FONT = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
/** Programs that do not know it keep the inline colors, or change them by themselves. */
const DARK = `@media (prefers-color-scheme: dark) {
body, .page { background:#16181a !important; color:#e8eaeb !important }
.item { background:#212426 !important; border-color:#3a3f42 !important }
.quiet, .quiet a { color:#a3abaf !important } .item a { color:#8fd0dc !important } }`;

function htmlPart({ notice, choicesUrl, unsubscribeUrl }: NoticeMail): string {
  const line = 'overflow-wrap:anywhere;word-break:break-word';
  const item = ({ title, text, url }: NoticeItem): HtmlContent => html`
<div class="item" style="margin:0 0 12px;padding:14px 16px;border:1px solid #d8dddf;border-radius:8px;background:#ffffff">
<h2 style="margin:0 0 6px;font-size:16px;line-height:1.35;${line}"><a href="${url}" style="color:#1f5f6b">${title}</a></h2>
<p style="margin:0;font-size:15px;line-height:1.5;white-space:pre-line;${line}">${text}</p></div>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${titleOf(notice)}</title>
<style>:root { color-scheme: light dark; supported-color-schemes: light dark } ${DARK}</style></head>
<body style="margin:0;padding:0;background:#f3f5f6;color:#1c2226">
<div class="page" style="max-width:600px;margin:0 auto;padding:20px 16px;background:#f3f5f6;color:#1c2226;${FONT}">
<p class="quiet" style="margin:0 0 14px;font-size:13px;color:#5a646a">Tearsheet · ${notice.organization}</p>
${notice.items.map(item)}
${notice.more > 0 && html`<p style="margin:0 0 12px;font-size:15px">${moreText(notice.more)}</p>`}
<p class="quiet" style="margin:18px 0 0;font-size:13px;line-height:1.5;color:#5a646a">You receive this because you are a member of ${notice.organization}. Sign in to open the pages.<br>
<a href="${choicesUrl}" style="color:#5a646a">Choose what you receive</a> · <a href="${unsubscribeUrl}" style="color:#5a646a">Stop notices about ${notice.organization}</a></p>
</div></body></html>
`.text;
}
