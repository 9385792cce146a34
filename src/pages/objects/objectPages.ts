import type { Queryable } from '../../db/database.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, linkButton, pageHead } from '../parts/components.ts';
import type { ResultsPage, Viewer } from '../parts/context.ts';
import { answerForm, EMPTY_FORM, otherFaults } from '../parts/formFields.ts';
import { hiddenFields, type Notice } from '../parts/forms.ts';
import { readForm, renderForm } from '../parts/formTable.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PageResult, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { type ManagedObject, OBJECT_TYPES, type ObjectType } from './managedObjects.ts';

const PATHS: readonly (readonly [path: string, type: ObjectType])[] = [
  ['/o/:slug/ads/:id', OBJECT_TYPES.ad],
  ['/o/:slug/screenshot_sets/:id', OBJECT_TYPES.set],
  ['/o/:slug/campaigns/:id', OBJECT_TYPES.campaign],
];

interface Shown {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly type: ObjectType;
  readonly id: string;
  readonly object: ManagedObject;
}

/** The links to both pages, for people who may use them. @param label of the first. */
export function objectLinks(path: string, { canWrite }: Viewer, label = 'Rename'): Html[] {
  if (!canWrite) return [];
  return [
    linkButton({ href: `${path}/change`, label, icon: 'pencil' }),
    linkButton({ href: `${path}/delete`, label: 'Delete', icon: 'trash-2' }),
  ];
}

function changePage({ viewer, paths, type, id, object }: Shown, form = EMPTY_FORM): ResultsPage {
  const page = type.pathOf(paths, id);
  const submit = html`<p class="actions">${button({ label: 'Save', kind: 'primary' })}
${linkButton({ href: page, label: 'Back without changes' })}</p>`;
  const given = { viewer, page, action: `${page}/change`, className: 'stack', form, stored: object.stored } as const;
  const body = html`${pageHead({ title: `Change the ${type.noun}`, up: { href: page, label: html`<bdi>${object.name}</bdi>` } })}
<section class="panel">${renderForm(type.form, { ...given, submit })}</section>`;
  return { title: `Change the ${type.noun}: ${object.name}`, section: type.section, body, status: form.status };
}

function deletePage({ viewer, paths, type, id, object }: Shown, { errors, status } = EMPTY_FORM): ResultsPage {
  const path = type.pathOf(paths, id);
  const name = html`<bdi>${object.name}</bdi>`;
  const back = linkButton({ href: path, label: 'Back without deleting' });
  const question = html`${otherFaults(errors, [])}<section class="part"><p>This removes the ${type.noun} and</p>
<ul class="items">${object.removes.map((text) => html`<li>${text}</li>`)}</ul>
<p>${type.stays} Addresses of removed objects will show that they were deleted. This cannot be undone.</p></section>
<form method="post" action="${path}/delete">
  ${hiddenFields(viewer, path)}
  <p class="actions">${button({ label: `Delete the ${type.noun}`, kind: 'danger' })} ${back}</p>
</form>`;
  const obstacle = html`<p class="note fault" role="alert">The ${type.noun} cannot be deleted now. ${object.obstacle}</p><p>${back}</p>`;
  const body = html`${pageHead({ title: html`Delete the ${type.noun} “${name}”?`, up: { href: path, label: name } })}
${object.obstacle === undefined ? question : obstacle}`;
  return { title: `Delete the ${type.noun}: ${object.name}`, section: type.section, body, status };
}

interface ObjectForm {
  page(shown: Shown, form?: typeof EMPTY_FORM): ResultsPage;
  act(tx: Queryable, type: ObjectType, given: ViewerRequest): Promise<void>;
  /** The page that follows. */
  next(shown: Shown): string;
  readonly notice: Notice;
}

const FORMS: Readonly<Record<string, ObjectForm>> = {
  change: {
    page: changePage,
    act: (tx, type, given) =>
      type.change(tx, refOf(given), { change: readForm(type.form, given.request), actor: given.actor }),
    next: ({ type, paths, id }) => type.pathOf(paths, id),
    notice: 'saved',
  },
  delete: {
    page: deletePage,
    act: (tx, type, given) => type.remove(tx, refOf(given), given.actor),
    next: ({ type, paths }) => type.listOf(paths),
    notice: 'deleted',
  },
};

/** Routes that change and delete ads, sets and campaigns. */
export function addObjectRoutes(pages: PageRoutes): void {
  const { db } = pages.options.store;
  for (const [path, type] of PATHS)
    for (const [name, { page, act, next, notice }] of Object.entries(FORMS)) {
      /** Handles a request for an object that exists. */
      const answer = (handle: (shown: Shown, given: ViewerRequest) => PageResult | Promise<PageResult>) => {
        return async (given: ViewerRequest) => {
          const ref = refOf(given);
          const object = await type.read(db, ref);
          return object && handle({ ...given, type, object, id: ref.id }, given);
        };
      };
      const send = (shown: Shown, given: ViewerRequest) => {
        const run = async (): Promise<PageResult> => {
          await db.transaction().execute((tx) => act(tx, type, given));
          return redirectTo(given, next(shown), notice);
        };
        return answerForm(given, { run, again: async (form) => page(shown, form) });
      };
      pages.get(
        `${path}/${name}`,
        answer((shown) => page(shown)),
        { scope: 'write' },
      );
      pages.post(`${path}/${name}`, answer(send));
    }
}
