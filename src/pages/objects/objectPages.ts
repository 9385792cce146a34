import type { FieldErrors } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { ResultsPage, Viewer } from '../context.ts';
import { faultOf, otherFaults } from '../fields.ts';
import { formField, hiddenFields } from '../forms.ts';
import { idOf, type PageRoutes, redirectTo, tryForm, type ViewerRequest } from '../pageRoutes.ts';
import type { PagePaths } from '../paths.ts';
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
export function objectLinks(type: ObjectType, path: string, { canWrite }: Viewer): HtmlContent {
  if (!canWrite) return null;
  return html`<a class="button" href="${path}/change">${type.changeLabel}</a> <a class="button" href="${path}/delete">Delete</a>`;
}

/** The same below the head of a page. */
export function objectActions(type: ObjectType, path: string, viewer: Viewer): HtmlContent {
  return viewer.canWrite && html`<p class="actions">${objectLinks(type, path, viewer)}</p>`;
}

/** @param text as the person typed it. */
function changePage(shown: Shown, { text, errors = {}, status }: Faults & { readonly text: string }): ResultsPage {
  const { viewer, paths, type, id, object } = shown;
  const { name, label } = type.field;
  const path = type.pathOf(paths, id);
  const title = `${type.changeLabel}: ${object.name}`;
  const body = html`<section class="head">${crumb(shown)}<h1>${type.changeLabel}: <bdi>${object.name}</bdi></h1></section>
${otherFaults(errors, [name])}
<form method="post" action="${path}/change">${hiddenFields(viewer, path)}
<div class="field"><label for="${name}">${label}</label>${control(type, text, errors[name] !== undefined)}
${faultOf(name, label, errors)}<p id="${name}-hint" class="hint">${type.changeHint}</p></div>
<p class="actions"><button class="primary">Save</button> <a class="button" href="${path}">Back, change nothing</a></p></form>`;
  return { title, section: type.section, assets: ['lists.css'], body, status };
}

function control({ field: { name, max } }: ObjectType, text: string, isFaulty: boolean): Html {
  const described = html` aria-describedby="${isFaulty ? `${name}-fault ` : ''}${name}-hint"${isFaulty && html` aria-invalid="true"`}`;
  if (name === 'instructions')
    return html`<textarea id="${name}" name="${name}" rows="6" maxlength="${max}"${described}>${text}</textarea>`;
  return html`<input id="${name}" name="${name}" required maxlength="${max}" autocomplete="off" value="${text}"${described}>`;
}

function deletePage(shown: Shown, { errors = {}, status }: Faults = {}): ResultsPage {
  const { viewer, paths, type, id, object } = shown;
  const path = type.pathOf(paths, id);
  const title = `Delete the ${type.noun}: ${object.name}`;
  const back = html`<a class="button" href="${path}">Back, delete nothing</a>`;
  const body = html`<section class="head">${crumb(shown)}<h1>Delete the ${type.noun} “<bdi>${object.name}</bdi>”?</h1></section>
${
  object.obstacle === undefined
    ? html`${otherFaults(errors, [])}<section class="part"><p>This removes the ${type.noun} and</p>
<ul class="affected">${object.removes.map((text) => html`<li>${text}</li>`)}</ul>
<p>${type.stays} The addresses of what is removed then say that it was deleted. This cannot be undone.</p></section>
<form method="post" action="${path}/delete">${hiddenFields(viewer, path)}<p class="actions"><button class="danger">Delete the ${type.noun}</button> ${back}</p></form>`
    : html`<p class="note fault" role="alert">The ${type.noun} cannot be deleted now. ${object.obstacle}</p><p class="actions">${back}</p>`
}`;
  return { title, section: type.section, assets: ['lists.css'], body, status };
}

function crumb({ type, paths, id, object }: Shown): Html {
  const [list, path] = [type.listOf(paths), type.pathOf(paths, id)];
  return html`<p class="crumb"><a href="${list}">${LISTS[type.noun]}</a> › <a href="${path}"><bdi>${object.name}</bdi></a></p>`;
}

const LISTS = { ad: 'Ads', set: 'Sets', campaign: 'Campaigns' } as const;

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

const refOf = ({ request, viewer: { organizationId } }: ViewerRequest) => ({ id: idOf(request), organizationId });
