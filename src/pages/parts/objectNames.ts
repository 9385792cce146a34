/** Links to objects by their names, in lists that store only ids. */
import type { NamedObject } from '../../core/sets/objectNames.ts';
import { type Html, html } from '../../lib/html.ts';
import type { PagePaths } from './paths.ts';

export type ObjectNames = ReadonlyMap<string, NamedObject>;

/** @param type of an object without a name, for example "set". */
export function namedLink(
  id: string,
  { names, paths, type }: { names: ObjectNames; paths: PagePaths; type?: string },
): Html {
  const found = names.get(id);
  if (found === undefined)
    return type === undefined ? html`<code>${id}</code>` : html`deleted ${type} <code>${id.slice(0, 8)}</code>`;
  const name = html`<bdi>${found.name || id.slice(0, 8)}</bdi>`;
  return found.kind === 'deleted' ? html`${name} (deleted)` : html`<a href="${addressOf(found, paths)}">${name}</a>`;
}

function addressOf({ kind, pageId }: NamedObject, paths: PagePaths): string {
  switch (kind) {
    case 'screenshot':
      return paths.screenshot(pageId);
    case 'ad':
      return paths.ad(pageId);
    case 'campaign':
    case 'campaign_link':
      return paths.campaign(pageId);
    case 'schedule':
      return paths.schedule(pageId);
    case 'share_link':
      return `${paths.set(pageId)}?tab=shared`;
    default:
      return paths.set(pageId);
  }
}
