/** The rounds of a set: what each retake took again, beside the picture before it. */
import { readVersions, type VersionRow } from '../../core/sets/readVersions.ts';
import { shortDevice } from '../../domain/devices.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { linkButton } from '../parts/components.ts';
import type { PagesOptions } from '../parts/context.ts';
import { decisionBadge, SCREENSHOT_LABELS, timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { shotFigure, siteName } from '../parts/pictureParts.ts';
import type { PictureView, SetFacts } from '../pictures/pictures.ts';

/** A round shows no more pictures. All of them are on the first tab. */
const MOST_PAIRS = 60;

interface Pair {
  readonly view: PictureView;
  readonly taken: VersionRow;
  /** The newest picture before it, or else the failure. */
  readonly before: VersionRow | undefined;
}

/** Newest first. The first round is what the other tabs show. */
export async function roundList(
  { store }: PagesOptions,
  { set, views, retakes }: SetFacts,
  paths: PagePaths,
): Promise<Html> {
  const versions = await readVersions(store.db, set.id);
  const sections = retakes.map(({ id, round, created_at }) => {
    const pairs = views.flatMap((view): Pair[] => {
      const all = versions.get(view.id) ?? [];
      const at = all.findIndex(({ set_id }) => set_id === id);
      const taken = all[at];
      const earlier = all.slice(at + 1);
      const before = earlier.find(({ image_token }) => image_token !== null) ?? earlier[0];
      return taken === undefined ? [] : [{ view, taken, before }];
    });
    const more =
      pairs.length > MOST_PAIRS && html`<p class="hint">And ${counted(pairs.length - MOST_PAIRS, 'more picture')}.</p>`;
    return html`<section class="group" id="round-${round}">
      <header><h2>v${round}</h2><p class="meta">${counted(pairs.length, 'picture')} · ${timeElement(created_at)}</p></header>
      ${pairs.slice(0, MOST_PAIRS).map((pair) => pairOf(pair, paths))}${more}
    </section>`;
  });
  const first = html`<section class="group"><header><h2>v1</h2>
    <p class="meta">${counted(views.length, 'picture')} · ${timeElement(set.created_at)}</p></header></section>`;
  return html`<section id="rounds" class="groups" data-live aria-label="Rounds">${sections}${first}</section>`;
}

function pairOf({ view, taken, before }: Pair, paths: PagePaths): Html {
  const { id, site_url, ad } = view;
  const device =
    taken.device === view.device
      ? shortDevice(view.device)
      : `${shortDevice(view.device)}, now ${shortDevice(taken.device)}`;
  const other = taken.site_url !== site_url && html`, now <bdi>${taken.site_url}</bdi>`;
  const page = paths.screenshot(id);
  const comparison = addressOf(page, { version: taken.id, with: before?.id });
  const canCompare = (before?.image_token ?? null) !== null && taken.image_token !== null;
  return html`<div class="pair"><p class="what"><a href="${page}"><bdi>${siteName(site_url).host}</bdi></a>${other} · ${device}
    <span class="meta"><bdi>${ad.name}</bdi></span> ${canCompare && linkButton({ href: comparison, label: 'Compare', icon: 'columns-2' })}</p>
    <div class="film">${before && side(before, { page, paths, when: 'Before' })}${side(taken, { page, paths, when: 'After' })}</div></div>`;
}

function side(version: VersionRow, { page, paths, when }: { page: string; paths: PagePaths; when: string }): Html {
  const { id, image_token, site_url, status, reason } = version;
  const decision = version.decision ?? 'none';
  const failure =
    image_token === null &&
    html`<p class="meta">${SCREENSHOT_LABELS[status]}${reason !== null && html`: ${reason}`}</p>`;
  return shotFigure(version, {
    ...{ paths, href: addressOf(page, { version: id }), alt: `${when}: ${siteName(site_url).host}`, decision },
    caption: html`<p class="what">${when} ${decisionBadge(decision)}</p>${failure}`,
  });
}
