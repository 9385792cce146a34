/** Pages for the pictures that a person selected in a set: they ask how to retake, share or download them. */
import { countShared } from '../../core/sharing/sharedPictures.ts';
import { invalid } from '../../domain/failure.ts';
import { setName } from '../../domain/setNames.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { pageHead } from '../parts/components.ts';
import type { ResultsPage } from '../parts/context.ts';
import { downloadForm } from '../pictures/downloads.ts';
import { pictureChooser } from '../pictures/pictureChooser.ts';
import { PICTURE_FIELDS, pickedIds, readSetFacts, type SetFacts } from '../pictures/pictures.ts';
import { type PageRoutes, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { shareForm } from '../sharing/sharePanel.ts';
import { setRetakePage } from './retakes.ts';

interface Selection {
  /** The set with the selected pictures only. */
  readonly facts: SetFacts;
  readonly ids: readonly string[];
  readonly given: ViewerRequest;
}

export function addSelectionRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const show = (
    name: string,
    scope: 'read' | 'write',
    pageOf: (selection: Selection) => Promise<ResultsPage> | ResultsPage,
  ) =>
    pages.post(
      `/o/:slug/screenshot_sets/:id/selected/${name}`,
      async (given) => {
        const facts = await readSetFacts(options, refOf(given));
        if (facts === undefined) return undefined;
        const picked = new Set(pickedIds(given.request));
        const views = facts.views.filter(({ id }) => picked.has(id));
        if (views.length === 0) throw invalid({ pick: ['must name pictures of this set: select some first.'] });
        return pageOf({ facts: { ...facts, views }, ids: views.map(({ id }) => id), given });
      },
      { scope, fields: PICTURE_FIELDS, readsSet: true },
    );
  show('retake', 'write', ({ facts, ids: picked, given }) => {
    const choice = { what: 'selected', picked, status: '' } as const;
    return setRetakePage(facts, choice, { ...given, locations: options.locations });
  });
  show('share', 'write', async ({ facts, ids: picked, given }) => {
    const owner = { setId: facts.set.id };
    const counts = await countShared(options.store.db, owner, picked);
    return page('Share', shareForm({ ...given, owner, ...counts, picked }), { facts, given });
  });
  show('download', 'read', ({ facts, ids: picked, given }) => {
    const chooser = pictureChooser(facts, given.paths);
    const file = { path: given.paths.set(facts.set.id), pictures: picked.length, isShared: false, picked, chooser };
    return page('Download', downloadForm(file), { facts, given });
  });
}

function page(verb: string, form: Html, { facts, given }: Omit<Selection, 'ids'>): ResultsPage {
  const { set, views } = facts;
  const up = { href: given.paths.set(set.id), label: html`<bdi>${setName(set)}</bdi>` };
  const title = `${verb} ${counted(views.length, 'picture')}`;
  const body = html`${pageHead({ up, title })}<section class="panel">${form}</section>`;
  return { title, body, section: 'campaigns', assets: ['set.css', 'set.js', 'downloads.js'] };
}
