/** The components that all pages are made of. */
import { textsOf } from '../../domain/texts/languages.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { type IconName, icon } from './icons.ts';

interface Look {
  readonly label: HtmlContent;
  readonly icon?: IconName;
  /** `primary`: the one action that the page is for. `danger`: removes something. `quiet`: without a border. */
  readonly kind?: 'primary' | 'danger' | 'quiet';
  /** Shows only the icon; the label becomes the name for screen readers and the tooltip. */
  readonly iconOnly?: boolean;
}

export interface Button extends Look {
  readonly name?: string;
  readonly value?: string;
  /** The address that the form is sent to, in place of its own. */
  readonly formAction?: string;
  /** The id of a form elsewhere on the page. */
  readonly form?: string;
  /** The id of a {@link dialog} that the button opens. */
  readonly opens?: string;
  /** The key that presses the button, as the scripts of the page read it. */
  readonly key?: string;
  /** Whether it shows a choice that is made; undefined for a button that shows none. */
  readonly isPressed?: boolean;
}

const content = ({ label, icon: name, iconOnly = false }: Look): HtmlContent =>
  iconOnly ? name && icon(name) : [name && icon(name), name ? html`<span>${label}</span>` : label];

const classOf = ({ kind, iconOnly = false }: Look, base?: 'button'): HtmlContent => {
  const names = [base, kind, iconOnly && 'icon-only'].filter(Boolean).join(' ');
  return names !== '' && html` class="${names}"`;
};

const named = ({ iconOnly = false, label }: Look): HtmlContent =>
  iconOnly && html` aria-label="${label}" title="${label}"`;

/** A button of a form, or one that opens a dialog. */
export function button(given: Button): Html {
  const { name, value, formAction, form, opens, key, isPressed } = given;
  const attributes = [
    opens !== undefined && html` type="button" popovertarget="${opens}"`,
    name !== undefined && html` name="${name}"`,
    value !== undefined && html` value="${value}"`,
    formAction !== undefined && html` formaction="${formAction}"`,
    form !== undefined && html` form="${form}"`,
    key !== undefined && html` data-key="${key}"`,
    isPressed !== undefined && html` aria-pressed="${isPressed ? 'true' : 'false'}"`,
    classOf(given),
    named(given),
  ];
  return html`<button${attributes}>${content(given)}</button>`;
}

/** A link that looks like a button. */
export function linkButton({ href, ...look }: Look & { readonly href: string }): Html {
  return html`<a${classOf(look, 'button')} href="${href}"${named(look)}>${content(look)}</a>`;
}

/** The state of an object in a word or two. @param state a status of the service, which determines the color. */
export function badge(state: string, text: HtmlContent): Html {
  return html`<span class="badge ${state}">${text}</span>`;
}

export interface Tab {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly count?: number;
}

/** Links to the parts of a page, each with an address of its own. */
export function tabs(label: string, list: readonly Tab[]): Html {
  const tab = ({ label: text, href, isCurrent, count }: Tab) => {
    const shown = count !== undefined && html` <span class="count">${count.toLocaleString('en')}</span>`;
    return html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${text}${shown}</a></li>`;
  };
  return html`<nav class="tabs" aria-label="${label}"><ul>${list.map(tab)}</ul></nav>`;
}

/** Actions behind a button. @param items links and forms. */
export function menu(look: Look, items: readonly HtmlContent[]): Html {
  return html`<details class="menu">
    <summary${classOf(look, 'button')}${named(look)}>${content(look)}</summary>
    <ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
  </details>`;
}

/** A box above the page, which a {@link button} with `opens` opens without a script. */
export function dialog(id: string, title: string, body: HtmlContent, { page } = textsOf('en').parts): Html {
  const close = html`<button type="button" class="quiet icon-only" popovertarget="${id}" popovertargetaction="hide"
    aria-label="${page.close}" title="${page.close}">${icon('x')}</button>`;
  return html`<div popover id="${id}" class="dialog" role="dialog" aria-labelledby="${id}-title">
    <header><h2 id="${id}-title">${title}</h2>${close}</header>
    ${body}
  </div>`;
}

/** Acts on what is selected in its form. It appears when a check box is checked. @param what for example "sets". */
export function selectionBar(what: string, actions: HtmlContent): Html {
  return html`<div class="selection" role="group" aria-label="Selected ${what}">
    <span data-selected>Selected ${what}:</span> ${actions}
  </div>`;
}

interface PageHead {
  readonly title: HtmlContent;
  /** The page above this one. */
  readonly up?: { readonly href: string; readonly label: HtmlContent };
  readonly badge?: HtmlContent;
  /** One line below the title. */
  readonly meta?: HtmlContent;
  readonly actions?: HtmlContent;
}

/** The top of a page: what it is, and what a person can do with it. */
export function pageHead({ title, up, badge: state, meta, actions }: PageHead): Html {
  return html`<header class="head">
    <div>
      ${up && html`<p class="crumb"><a href="${up.href}">${up.label}</a></p>`}
      <h1>${title}${state && html` ${state}`}</h1>
      ${meta && html`<p class="meta">${meta}</p>`}
    </div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </header>`;
}

/** Says what to do where there is nothing yet. */
export function emptyState({ title, text, action }: { title: string; text: HtmlContent; action?: HtmlContent }): Html {
  return html`<section class="empty-state"><h2>${title}</h2><p>${text}</p>${action}</section>`;
}

/** A text with a button that copies it. Without a script there is no button, and the text can be selected. */
export function copyField(label: string, value: string): Html {
  return html`<div class="copy">
    <input readonly value="${value}" aria-label="${label}">
    <button type="button" data-copy="${value}">${icon('copy')}<span>Copy</span></button>
  </div>`;
}

/** The same in a line of text. @param what the text is, for example "the id". */
export function copyText(what: string, value: string): Html {
  const label = `Copy ${what}`;
  return html`<code>${value}</code> <button type="button" class="quiet inline" data-copy="${value}"
    aria-label="${label}" title="${label}">${icon('copy')}</button>`;
}

export interface Column<Row> {
  readonly label: string;
  /** `main` names the row. The labels of pictures and actions are only for screen readers. */
  readonly kind?: 'main' | 'number' | 'time' | 'thumbs' | 'preview' | 'action';
  /** The heading is a link that sorts the list. */
  readonly sorting?: Sorting | undefined;
  cell(row: Row): HtmlContent;
}

export interface Sorting {
  readonly href: string;
  /** Whether and how the list is sorted by this column. */
  readonly state: 'ascending' | 'descending' | undefined;
}

interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Further attributes of a row. */
  attributesOf?(row: Row): HtmlContent;
}

/** A list. On a narrow screen each row is a card, in which each cell has its label. */
export function table<Row>({ columns, rows, attributesOf }: Table<Row>): Html {
  const cell = (row: Row, { label, kind, cell: show }: Column<Row>) =>
    html`<td${kind && html` class="${kind}"`}${!isUnlabeled(kind) && html` data-label="${label}"`}>${show(row)}</td>`;
  return html`<table class="list"><thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${rows.map((row) => html`<tr${attributesOf?.(row)}>${columns.map((column) => cell(row, column))}</tr>`)}</tbody></table>`;
}

const isUnlabeled = (kind: string | undefined) =>
  kind !== undefined && ['main', 'thumbs', 'preview', 'action'].includes(kind);

function heading<Row>({ label, kind, sorting }: Column<Row>): Html {
  const text = sorting === undefined ? label : html`<a href="${sorting.href}">${label}</a>`;
  const shown = isUnlabeled(kind) && kind !== 'main' ? html`<span class="hidden">${label}</span>` : text;
  return html`<th scope="col"${kind && html` class="${kind}"`}${sorting?.state && html` aria-sort="${sorting.state}"`}>${shown}</th>`;
}

/** The facts about one object; empty values are left out. */
export function facts(pairs: readonly (readonly [name: string, value: HtmlContent])[]): Html {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return html`<dl>${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A card. @param status whether it just appeared, so that screen readers announce it. */
export function panel(
  title: HtmlContent,
  body: HtmlContent,
  { id, status = false }: { id?: string; status?: boolean } = {},
): Html {
  return html`<section class="panel"${id !== undefined && html` id="${id}"`}${status && html` role="status"`}><h2>${title}</h2>
${body}</section>`;
}
