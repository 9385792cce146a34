/** The pages that change the text of an object, and that ask before they delete it. */
import type { FieldErrors } from '../../domain/failure.ts';
import type { ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import type { PagePaths } from '../paths.ts';
import { faultOf, otherFaults } from '../settings/fields.ts';
import type { ManagedObject, ObjectType } from './managedObjects.ts';

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
export function changePage(
  shown: Shown,
  { text, errors = {}, status }: Faults & { readonly text: string },
): ResultsPage {
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
  return { title, section: type.section, assets: ['lists.css'], body, ...(status !== undefined && { status }) };
}

function control({ field: { name, max } }: ObjectType, text: string, isFaulty: boolean): Html {
  const described = html` aria-describedby="${isFaulty ? `${name}-fault ` : ''}${name}-hint"${isFaulty && html` aria-invalid="true"`}`;
  if (name === 'instructions')
    return html`<textarea id="${name}" name="${name}" rows="6" maxlength="${max}"${described}>${text}</textarea>`;
  return html`<input id="${name}" name="${name}" required maxlength="${max}" autocomplete="off" value="${text}"${described}>`;
}

export function deletePage(shown: Shown, { errors = {}, status }: Faults = {}): ResultsPage {
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
  return { title, section: type.section, assets: ['lists.css'], body, ...(status !== undefined && { status }) };
}

function crumb({ type, paths, id, object }: Shown): Html {
  const [list, path] = [type.listOf(paths), type.pathOf(paths, id)];
  return html`<p class="crumb"><a href="${list}">${LISTS[type.noun]}</a> › <a href="${path}"><bdi>${object.name}</bdi></a></p>`;
}

const LISTS = { ad: 'Ads', set: 'Sets', campaign: 'Campaigns' } as const;
