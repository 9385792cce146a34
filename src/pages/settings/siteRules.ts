/** The site rules of the organization: the list, and the form of one. */
import type { Request } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { readOrFail } from '../../api/public/endpoint.ts';
import { NewSiteRule } from '../../contract/siteRules.ts';
import { findSiteRule, listSiteRules, type SiteRuleRow } from '../../core/siteRules/siteRuleQueries.ts';
import { changeSiteRule, createSiteRule, removeSiteRule, useSlot } from '../../core/siteRules/siteRules.ts';
import type { AdSize } from '../../domain/ads.ts';
import { RULE_DEVICES, RULE_LIMITS, type RuleSlot } from '../../domain/siteRules.ts';
import { counted } from '../../domain/text.ts';
import { html } from '../../lib/html.ts';
import { badge, type Column, emptyState, linkButton, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { answerForm, type Choice, EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { formField, redirectPath, requireOwnForm } from '../parts/forms.ts';
import { bodyOf, formTable, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import type { SLOT_FIELDS } from '../pictures/slotOffer.ts';
import { idOf, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, addAskedAction, framedPage } from '../routes/settingsFrame.ts';
import { importFile, importForm, readFile, sendExport } from './siteRuleFiles.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const ROWS = 3;
const DEVICES: Readonly<Record<(typeof RULE_DEVICES)[number], string>> = {
  all: 'All devices',
  desktop: 'Desktop',
  tablet: 'Tablets',
  phone: 'Phones',
};
const deviceChoices = RULE_DEVICES.map((name): Choice => [name, DEVICES[name]]);

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));

/** A line such as `300x250 #mpu`, or a selector for ads of every size. */
function slotOf(line: string) {
  const [, width, height, selector = ''] = /^(\d{1,5})\s*[x×]\s*(\d{1,5})(?:\s+(.+))?$/i.exec(line) ?? [];
  return width === undefined
    ? { selector: line }
    : { size: { width: Number(width), height: Number(height) }, selector };
}

/** A line such as `name=value`. A name alone keeps the stored value. */
const pairOf = (separator: string) => (line: string) => {
  const at = line.indexOf(separator);
  return at < 0 ? { name: line, value: null } : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
};

const lines = (label: string, hint: string, read: (line: string) => unknown = (line) => line) => ({
  label,
  hint,
  rows: ROWS,
  read: (text: string) => linesOf(text).map(read),
});

const RULE = formTable(NewSiteRule, {
  host: { label: 'Host', hint: 'For example news.example, or *.news.example for all its subdomains.' },
  path: {
    label: 'Path',
    placeholder: '/*',
    hint: 'For example /sport/*, where * stands for any text. If empty: all pages.',
  },
  device: { kind: 'select', label: 'Devices', choices: deviceChoices },
  slots: lines(
    'Slots',
    'One per line: a size and a CSS selector, for example 300x250 #mpu-1. A selector alone is for all other ads.',
    slotOf,
  ),
  hide: lines('Hide', 'CSS selectors of elements to hide, one per line.'),
  click: lines(
    'Click',
    'CSS selectors of elements to click in this order, one per line. A click must not leave the site.',
  ),
  wait_for: lines('Wait for', 'CSS selectors of elements that appear late, one per line.'),
  cookies: lines(
    'Cookies',
    'One per line: name=value. Values are stored encrypted and never shown. A name alone keeps its stored value.',
    pairOf('='),
  ),
  headers: lines('Headers', 'One per line: Name: value. Values are treated like those of cookies.', pairOf(':')),
  note: { label: 'Note', hint: 'For your colleagues, for example why the rule exists.' },
});

const textOfSlot = ({ size, selector }: RuleSlot) => (size ? `${size.width}x${size.height} ${selector}` : selector);

function storedOf({ host, path, device, note, body }: SiteRuleRow) {
  const { slots, ...lists } = body;
  const texts = Object.entries(lists).map(([name, list]) => [name, list.join('\n')]);
  return { host, path, device, note, slots: slots.map(textOfSlot).join('\n'), ...Object.fromEntries(texts) };
}

const readRule = (request: Request) => readOrFail(NewSiteRule, bodyOf(RULE, request));

/** The slot that the fields of an offer name, in a form or in an address. */
function slotGiven(read: (name: (typeof SLOT_FIELDS)[number]) => string) {
  const size: AdSize = { width: Number(read('width')), height: Number(read('height')) };
  return { host: read('host'), device: read('device'), slots: [{ size, selector: read('selector') }] };
}

export function addSiteRuleRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const root = '/o/:slug/settings/site_rules';
  const at = (rest: string) => ({ page: 'site_rules', path: root + rest }) as const;
  const scope = { scope: 'write' } as const;
  pages.get(root, (given) => rulesPage(options, given), { ...scope, cost: COST.list });
  pages.get(`${root}/new`, (given) => newRulePage(given, prefilled(given.request)), scope);
  pages.get(`${root}/export`, async (given) => sendExport(given, await allRules(options, given)), {
    ...scope,
    cost: COST.list,
  });
  addAction(pages, at('/new'), {
    read: ({ request }) => readRule(request),
    act: (tx, { viewer, actor }, body) => createSiteRule(tx, viewer.organizationId, body, actor),
    notice: 'site_rule_saved',
    again: async (given, form) => newRulePage(given, form),
  });
  addAction(pages, at('/use'), {
    read: ({ request }) => {
      const { slots, ...given } = readOrFail(
        NewSiteRule,
        slotGiven((name) => formField(request, name)),
      );
      return { ...given, slot: { size: slots?.[0]?.size ?? null, selector: slots?.[0]?.selector ?? '' } };
    },
    act: (tx, { viewer, actor }, given) => useSlot(tx, viewer.organizationId, given, actor),
    answer: (given) =>
      redirectTo(given, redirectPath(given.paths, formField(given.request, 'next')), 'site_rule_saved'),
    again: async (given, form) => newRulePage(given, { ...form, values: prefilled({ query: form.values }).values }),
  });
  pages.post(
    `${root}/import`,
    async (given) => {
      const file = await readFile(given.request);
      requireOwnForm(given.request, given.viewer.formToken);
      return answerForm(given, {
        run: () => importFile(options, given, file),
        again: (form) => rulesPage(options, given, form),
      });
    },
    { ...scope, cost: COST.heavy, readsBody: true },
  );
  pages.get(`${root}/:id`, (given) => rulePage(options, given), scope);
  addAction(pages, at('/:id'), {
    read: ({ request }) => readRule(request),
    act: (tx, given, body) => changeSiteRule(tx, refOf(given), body, given.actor),
    notice: 'site_rule_saved',
    again: (given, form) => rulePage(options, given, form),
  });
  addAskedAction(pages, at('/:id/delete'), {
    ask: async (given) => {
      const row = await findSiteRule(options.store.db, refOf(given));
      return row && { question: html`Delete the rule for ${nameOf(row)}?`, text: STAYS, button: 'Delete the rule' };
    },
    act: (tx, given) => removeSiteRule(tx, refOf(given), given.actor),
    notice: 'site_rule_deleted',
  });
}

const STAYS = html`<p>Existing pictures stay. Later ones are taken without the rule.</p>`;

const nameOf = ({ host, path, device }: SiteRuleRow) =>
  html`<bdi>${host}${path !== '/*' && path}</bdi>${device !== 'all' && `, ${DEVICES[device].toLowerCase()}`}`;

const allRules = async ({ store }: PagesOptions, { viewer: { organizationId } }: Given) =>
  (await listSiteRules(store.db, { organizationId }, { page: 1, perPage: RULE_LIMITS.rules })).rows;

async function rulesPage(options: PagesOptions, given: ViewerRequest, form = EMPTY_FORM): Promise<ResultsPage> {
  const path = given.paths.settings('site_rules');
  const rows = await allRules(options, given);
  const add = linkButton({ href: `${path}/new`, label: 'New rule', icon: 'plus' });
  const none = emptyState({
    title: 'No site rules yet',
    text: 'A rule says which slot to use on a site, and which elements to hide, click or wait for. Create one here, or on the page of a picture whose slot you chose.',
    action: add,
  });
  const exported = linkButton({ href: `${path}/export`, label: 'Export', icon: 'download' });
  const list = html`<div class="actions">${add}${exported}</div>
${table({ columns: columns(path), rows })}`;
  const body = html`${rows.length === 0 ? none : list}${panel('Import', importForm(given, form), { id: 'import' })}`;
  return framedPage(given, 'site_rules', { body, status: form.status });
}

const columns = (path: string): Column<SiteRuleRow>[] => [
  {
    label: 'Pages',
    kind: 'main',
    cell: (row) =>
      html`<a href="${path}/${row.id}">${nameOf(row)}</a> <span class="meta"><bdi>${row.note}</bdi></span>`,
  },
  { label: 'Parts', cell: ({ body }) => summary(body) },
  { label: 'Last acted', kind: 'time', cell: ({ last_acted_at: at }) => at && timeElement(at) },
  {
    label: 'Found nothing',
    kind: 'time',
    cell: ({ last_acted_at: acted, last_missed_at: missed }) =>
      missed && html`${(acted === null || missed >= acted) && badge('failed', 'Check')} ${timeElement(missed)}`,
  },
];

function summary({ slots, hide, click, wait_for, cookies, headers }: SiteRuleRow['body']): string {
  const parts = [
    slots.length > 0 && counted(slots.length, 'slot'),
    hide.length > 0 && `${hide.length} to hide`,
    click.length > 0 && `${click.length} to click`,
    wait_for.length > 0 && `${wait_for.length} to wait for`,
    cookies.length > 0 && counted(cookies.length, 'cookie'),
    headers.length > 0 && counted(headers.length, 'header'),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function newRulePage(given: Given, form: FormState): ResultsPage {
  const path = given.paths.settings('site_rules');
  const shown = {
    viewer: given.viewer,
    page: path,
    action: `${path}/new`,
    form: withLists(form),
    submit: 'Create rule',
  };
  const body = panel('New site rule', renderForm(RULE, shown));
  return framedPage(given, 'site_rules', { body, status: form.status });
}

/** The form of a new rule with the slot that the address names. */
function prefilled({ query }: Pick<Request, 'query'>): FormState {
  const read = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  if (read('host') === '') return EMPTY_FORM;
  const { host, device, slots } = slotGiven(read);
  return { values: { host, device, slots: slots.map(textOfSlot).join('\n') }, errors: {} };
}

async function rulePage(
  { store }: PagesOptions,
  given: ViewerRequest,
  form = EMPTY_FORM,
): Promise<ResultsPage | undefined> {
  const { viewer, paths, request } = given;
  const { organizationId } = viewer;
  const row = await findSiteRule(store.db, { id: idOf(request), organizationId });
  if (row === undefined) return undefined;
  const path = paths.settings('site_rules');
  const shown = { viewer, page: path, action: `${path}/${row.id}`, form: withLists(form), stored: storedOf(row) };
  const remove = linkButton({ href: `${path}/${row.id}/delete`, label: 'Delete', icon: 'trash-2', kind: 'danger' });
  const times = [
    row.last_acted_at && html`Last acted ${timeElement(row.last_acted_at)}.`,
    row.last_missed_at &&
      html` A part found nothing ${timeElement(row.last_missed_at)}. The warnings of the pictures say which.`,
  ].filter((time) => time !== null);
  const body = html`${panel(
    nameOf(row),
    html`${times.length > 0 && html`<p class="meta">${times}</p>`}${renderForm(RULE, { ...shown, submit: 'Save' })}<p>${remove}</p>`,
  )}<p><a href="${path}">All site rules</a></p>`;
  return framedPage(given, 'site_rules', { body, status: form.status });
}

/** The faults of items with the number of their line, at their field. */
function withLists({ errors, ...form }: FormState): FormState {
  const shown = new Map<string, string[]>();
  for (const [path, texts] of Object.entries(errors)) {
    const [name = '', index] = path.split('.');
    const line = index === undefined ? '' : `Line ${Number(index) + 1} `;
    shown.set(name, [...(shown.get(name) ?? []), ...texts.map((text) => line + text)]);
  }
  return { ...form, errors: Object.fromEntries(shown) };
}
