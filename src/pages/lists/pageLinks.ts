/** Links to the pages of a list. */
import { type ListPage, TOTAL_MOST } from '../../db/list.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { addressOf } from '../paths.ts';
import type { ListQuery } from './listQuery.ts';

export function pageLinks(
  { rows, total }: ListPage<{ readonly created_at: Date }>,
  path: string,
  query: ListQuery<unknown>,
): HtmlContent {
  const { page, perPage } = query.page;
  const pages = Math.ceil(total / perPage);
  if (pages <= 1) return null;
  const until = query.until ?? (query.sort === 'newest' ? rows[0]?.created_at : undefined);
  const address = (to: number) => addressOf(path, { ...query.given, ...pageParameters({ page: { page: to }, until }) });
  return html`<nav class="pages" aria-label="Pages">${
    page > 1 &&
    html`<a href="${addressOf(path, query.given)}">First page</a>
<a rel="prev" href="${address(page - 1)}">Previous page</a>`
  } <span>Page ${page}${total < TOTAL_MOST && ` of ${pages}`}</span> ${page < pages && html`<a rel="next" href="${address(page + 1)}">Next page</a>`}</nav>`;
}

export const pageParameters = ({ page, until }: { page: { page: number }; until: Date | undefined }) => ({
  page: page.page > 1 ? String(page.page) : undefined,
  until: until && String(until.getTime()),
});
