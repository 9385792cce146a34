import type { FieldErrors } from '../../domain/failure.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, linkButton, pageHead } from '../parts/components.ts';
import type { ResultsPage, Viewer } from '../parts/context.ts';
import { otherFaults, textField, tryForm } from '../parts/formFields.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { type ManagedObject, OBJECT_TYPES, type ObjectType } from './managedObjects.ts';

const PATHS = [
  ['/o/:slug/ads/:id', OBJECT_TYPES.ad],
  ['/o/:slug/screenshot_sets/:id', OBJECT_TYPES.set],
  ['/o/:slug/campaigns/:id', OBJECT_TYPES.campaign],
] as const;

type Answer = ResultsPage | 'sent';

interface Shown {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly type: ObjectType;
  readonly id: string;
  readonly object: ManagedObject;
}

interface Faults {
  readonly errors?: FieldErrors;
  readonly status?: number;
}

/** The links to both pages, for people who may use them. */
export function objectLinks(type: ObjectType, path: string, { canWrite }: Viewer): Html[] {
  if (!canWrite) return [];
  return [
    linkButton({ href: `${path}/change`, label: type.changeLabel, icon: 'pencil' }),
    linkButton({ href: `${path}/delete`, label: 'Delete', icon: 'trash-2' }),
  ];
}

/** @param text as the person typed it. */
function changePage(shown: Shown, { text, errors = {}, status }: Faults & { readonly text: string }): ResultsPage {
  const { viewer, paths, type, id, object } = shown;
  const { name } = type.field;
  const path = type.pathOf(paths, id);
  const isName = name === 'name';
  const field = { ...type.field, hint: type.changeHint, isRequired: isName, ...(!isName && { rows: 6 }) };
  const body = html`${head(shown, html`${type.changeLabel}: <bdi>${object.name}</bdi>`)}
${otherFaults(errors, [name])}
<form class="panel stack" method="post" action="${path}/change">${hiddenFields(viewer, path)}
${textField(field, { values: { [name]: text }, errors })}
<p class="actions">${button({ label: 'Save', kind: 'primary' })} ${linkButton({ href: path, label: 'Back without changes' })}</p></form>`;
  return { title: `${type.changeLabel}: ${object.name}`, section: type.section, body, status };
}

function deletePage(shown: Shown, { errors = {}, status }: Faults = {}): ResultsPage {
  const { viewer, paths, type, id, object } = shown;
  const path = type.pathOf(paths, id);
  const back = linkButton({ href: path, label: 'Back without deleting' });
  const question = html`${otherFaults(errors, [])}<section class="part"><p>This removes the ${type.noun} and</p>
<ul class="items">${object.removes.map((text) => html`<li>${text}</li>`)}</ul>
<p>${type.stays} Addresses of removed objects will show that they were deleted. This cannot be undone.</p></section>
<form method="post" action="${path}/delete">
  ${hiddenFields(viewer, path)}
  <p class="actions">${button({ label: `Delete the ${type.noun}`, kind: 'danger' })} ${back}</p>
</form>`;
  const obstacle = html`<p class="note fault" role="alert">The ${type.noun} cannot be deleted now. ${object.obstacle}</p><p>${back}</p>`;
  const body = html`${head(shown, html`Delete the ${type.noun} “<bdi>${object.name}</bdi>”?`)}
${object.obstacle === undefined ? question : obstacle}`;
  return { title: `Delete the ${type.noun}: ${object.name}`, section: type.section, body, status };
}

function head({ type, paths, id, object }: Shown, title: Html): Html {
  return pageHead({ title, up: { href: type.pathOf(paths, id), label: html`<bdi>${object.name}</bdi>` } });
}

/** Routes that change and delete ads, sets and campaigns. */
export function addObjectRoutes(pages: PageRoutes): void {
  const { db } = pages.options.store;
  for (const [path, type] of PATHS) {
    /** Handles a request for an object that exists. */
    const answer =
      (handle: (given: ViewerRequest, shown: Shown) => Promise<Answer> | Answer) => async (given: ViewerRequest) => {
        const ref = refOf(given);
        const object = await type.read(db, ref);
        return object && handle(given, { ...given, type, object, id: ref.id });
      };
    pages.get(
      `${path}/change`,
      answer((_given, shown) => changePage(shown, { text: shown.object.text })),
      {
        scope: 'write',
      },
    );
    pages.post(
      `${path}/change`,
      answer((given, shown) => {
        const text = formField(given.request, type.field.name).replaceAll('\r\n', '\n');
        const change = async () => {
          const ref = refOf(given);
          await db.transaction().execute((tx) => type.change(tx, ref, { text, actor: given.actor }));
          return redirectTo(given, type.pathOf(given.paths, ref.id), 'saved');
        };
        return tryForm<Answer>(change, (errors, status) => changePage(shown, { text, errors, status }));
      }),
    );
    pages.get(
      `${path}/delete`,
      answer((_given, shown) => deletePage(shown)),
      { scope: 'write' },
    );
    pages.post(
      `${path}/delete`,
      answer((given, shown) => {
        const remove = async () => {
          await db.transaction().execute((tx) => type.remove(tx, refOf(given), given.actor));
          return redirectTo(given, type.listOf(given.paths), 'deleted');
        };
        return tryForm<Answer>(remove, (errors, status) => deletePage(shown, { errors, status }));
      }),
    );
  }
}
