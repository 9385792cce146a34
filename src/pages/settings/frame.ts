/** The frame of all pages of the settings, and parts that several of them have. */
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import type { PagePaths } from '../paths.ts';

/** In the order in which they are shown. The first one has no name in its address. */
const PAGES = {
  general: 'General',
  keys: 'API keys',
  webhooks: 'Webhooks',
  endpoints: 'Endpoints',
  connectors: 'S3 connectors',
  branding: 'Branding',
  audit_log: 'Audit log',
} as const;
type SettingsPageName = keyof typeof PAGES;

interface Content {
  readonly paths: PagePaths;
  readonly current: SettingsPageName;
  readonly body: HtmlContent;
  readonly status?: number | undefined;
  readonly events?: string | undefined;
}

export function settingsPage({ paths, current, body, ...more }: Content): ResultsPage {
  const link = ([name, title]: [string, string]) =>
    html`<li><a href="${paths.settings(name === 'general' ? undefined : name)}"${name === current && html` aria-current="page"`}>${title}</a></li>`;
  return {
    ...more,
    title: PAGES[current] === 'General' ? 'Settings' : `${PAGES[current]}, settings`,
    section: 'settings',
    assets: ['settings.css'],
    body: html`<section class="head"><h1>Settings</h1>
<nav class="tabs" aria-label="Settings"><ul>${Object.entries(PAGES).map(link)}</ul></nav></section>
${body}`,
  };
}

/** Shows a secret that was just made. */
export function secretPanel(
  title: HtmlContent,
  text: string,
  { value, label }: { value: string; label: string },
): Html {
  return html`<section class="panel secret" role="status"><h2>${title}</h2>
<p>${text}</p>
<input readonly value="${value}" aria-label="${label}"></section>`;
}

interface Confirmation {
  readonly viewer: Viewer;
  readonly question: HtmlContent;
  /** Says which effect the action has. */
  readonly text: HtmlContent;
  /** Path of the form. */
  readonly action: string;
  readonly fields?: HtmlContent;
  readonly button: string;
  /** The page to return to. */
  readonly back: string;
}

/** Asks before something is removed or replaced. */
export function confirmPanel({ viewer, question, text, action, fields, button, back }: Confirmation): Html {
  return html`<section class="panel"><h2>${question}</h2>
${text}
<form class="stack" method="post" action="${action}">${hiddenFields(viewer, back)}${fields}
<p class="do"><button class="danger">${button}</button> <a href="${back}">Keep it</a></p></form></section>`;
}
