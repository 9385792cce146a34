/** The main navigation of the pages of an organization. */
import type { Scope } from '../domain/keys.ts';
import type { SectionName, Viewer } from './context.ts';
import { type Html, html } from './html.ts';
import type { PagePaths } from './paths.ts';

interface Section {
  readonly title: string;
  path(paths: PagePaths): string;
  /** The scope that a key needs to see the section. */
  readonly scope: Scope;
}

/** In the order in which they are shown. */
const SECTIONS: Readonly<Record<SectionName, Section>> = {
  campaigns: { title: 'Campaigns', path: (paths) => paths.campaigns, scope: 'read' },
  sets: { title: 'Sets', path: (paths) => paths.sets, scope: 'read' },
  ads: { title: 'Ads', path: (paths) => paths.ads, scope: 'read' },
  new: { title: 'New request', path: (paths) => `${paths.organization}/new`, scope: 'write' },
  deliveries: { title: 'Deliveries', path: (paths) => paths.deliveries, scope: 'read' },
  settings: { title: 'Settings', path: (paths) => paths.settings(), scope: 'admin' },
};

export function navigation(paths: PagePaths, viewer: Viewer, current: SectionName | undefined): Html {
  const seen = Object.entries(SECTIONS).filter(([, { scope }]) => viewer.scopes.includes(scope));
  const items = seen.map(
    ([name, { title, path }]) =>
      html`<li><a href="${path(paths)}"${name === current && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav class="sections" aria-label="Sections"><ul>${items}</ul></nav>`;
}
