/** The frame of the pages of integrations and settings, and parts that several of them have. */
import type { Scope } from '../../domain/keys.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, copyField, pageHead, panel, tabs } from '../components.ts';
import type { ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import type { ViewerRequest } from '../pageRoutes.ts';
import type { PagePaths } from '../paths.ts';

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
  text: string,
  { value, label }: { value: string; label: string },
): Html {
  return panel(title, html`<p>${text}</p>${copyField(label, value)}`, { status: true });
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
export function confirmPanel({ viewer, question, text, action, fields, back, ...given }: Confirmation): Html {
  return panel(
    question,
    html`${text}
<form class="stack" method="post" action="${action}">${hiddenFields(viewer, back)}${fields}
<p class="actions">${button({ label: given.button, kind: 'danger' })} <a href="${back}">Keep it</a></p></form>`,
  );
}
