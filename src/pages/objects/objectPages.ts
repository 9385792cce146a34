import type { Queryable } from '../../db/database.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, linkButton, pageHead } from '../parts/components.ts';
import type { ResultsPage, Viewer } from '../parts/context.ts';
import { answerForm, EMPTY_FORM, type FormState, otherFaults } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { readForm, renderForm } from '../parts/formTable.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PageResult, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { type ManagedObject, OBJECT_TYPES, type ObjectType } from './managedObjects.ts';

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
  const page = pathOf(paths, type, id);
  const submit = html`<p class="actions">${button({ label: 'Save', kind: 'primary' })}
${linkButton({ href: page, label: 'Back without changes' })}</p>`;
  const given = { viewer, page, action: `${page}/change`, className: 'stack', form, stored: object.stored } as const;
  const body = html`${pageHead({ title: `Change the ${type.noun}`, up: { href: page, label: html`<bdi>${object.name}</bdi>` } })}
<section class="panel">${renderForm(type.form, { ...given, submit })}</section>`;
  return { title: `Change the ${type.noun}: ${object.name}`, section: type.section, body, status: form.status };
}

function deletePage({ viewer, paths, type, id, object }: Shown, { errors, status } = EMPTY_FORM): ResultsPage {
  const path = pathOf(paths, type, id);
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

/** Routes that change and delete ads, sets and campaigns. */
export function addObjectRoutes(pages: PageRoutes): void {
  const { db } = pages.options.store;
  const add = (
    name: string,
    type: ObjectType,
    page: (shown: Shown, form?: FormState) => ResultsPage,
    act: (tx: Queryable, given: ViewerRequest) => Promise<void>,
    end: (given: ViewerRequest) => 'sent',
  ) => {
    const path = `/o/:slug/${type.segment}/:id/${name}`;
    const show = async (given: ViewerRequest, form?: FormState): Promise<PageResult> => {
      const ref = refOf(given);
      const object = await type.read(db, ref);
      return object && page({ ...given, type, object, id: ref.id }, form);
    };
    const run = async (given: ViewerRequest) => {
      await db.transaction().execute((tx) => act(tx, given));
      return end(given);
    };
    pages.get(path, (given) => show(given), { scope: 'write' });
    pages.post(path, (given) => answerForm(given, { run: () => run(given), again: (form) => show(given, form) }));
  };
  for (const type of OBJECT_TYPES) {
    const change = (tx: Queryable, given: ViewerRequest) =>
      type.change(tx, refOf(given), { change: readForm(type.form, given.request), actor: given.actor });
    add('change', type, changePage, change, (given) =>
      redirectTo(given, pathOf(given.paths, type, refOf(given).id), 'saved'),
    );
    const remove = (tx: Queryable, given: ViewerRequest) => type.remove(tx, refOf(given), given.actor);
    add('delete', type, deletePage, remove, (given) => redirectTo(given, listOf(given.paths, type), 'deleted'));
  }
}

const listOf = ({ organization }: PagePaths, { segment }: ObjectType) => `${organization}/${segment}`;
const pathOf = (paths: PagePaths, type: ObjectType, id: string) => `${listOf(paths, type)}/${id}`;
