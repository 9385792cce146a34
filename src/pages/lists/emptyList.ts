/** Lists without rows say what to do next. */
import type { Viewer } from '../context.ts';
import { type Html, html } from '../html.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import type { ListQuery } from './listQuery.ts';

const WHAT = {
  sets: 'A set holds the pictures of one request: your ads, on the sites and devices that you choose.',
  ads: 'An ad is a creative under a name. The first request with a creative makes one.',
  campaigns: 'A campaign groups ads and sets. The first request that names it makes it.',
} as const;

export interface EmptyListOptions {
  readonly query: ListQuery<unknown>;
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The path of the list. */
  readonly path: string;
}

export function emptyList(kind: keyof typeof WHAT, { query, viewer, paths, path }: EmptyListOptions): Html {
  if (query.isFiltered || query.page.page > 1) {
    return html`<section class="empty-list"><h2>No ${kind} match</h2>
<p>Check the spelling, or use fewer filters. The search finds the beginnings of words, and ids.</p>
<p><a class="button" href="${addressOf(path, { sort: query.given['sort'] })}">Show all ${kind}</a></p></section>`;
  }
  const request = html`<p><a class="button primary" href="${paths.newRequest}">Make the first request</a></p>`;
  const readOnly = html`<p class="hint">Your key may only read. A person whose key has the scope <code>write</code> can make a request.</p>`;
  return html`<section class="empty-list"><h2>No ${kind} yet</h2><p>${WHAT[kind]}</p>${viewer.canWrite ? request : readOnly}
<p class="hint">Programs send a POST to <code>/api/v1/orgs/${viewer.slug}/screenshot_requests</code>; see <a href="${paths.base}/docs">the API reference</a>.</p></section>`;
}
