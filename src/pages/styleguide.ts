/** The components in all their states, in light and dark, for people who change the pages. Only `tearsheet dev` has it. */
import { type Html, html } from '../lib/html.ts';
import {
  badge,
  button,
  copyField,
  copyText,
  dialog,
  emptyState,
  facts,
  linkButton,
  menu,
  pageHead,
  panel,
  table,
  tabs,
} from './parts/components.ts';
import { checkbox, checkboxes, field, selectField, textField } from './parts/formFields.ts';
import { ICON_NAMES, icon } from './parts/icons.ts';
import { pathsOf } from './parts/paths.ts';
import { numberedPages } from './parts/pictureParts.ts';
import type { PageRoutes } from './routes/pageRoutes.ts';

const STATES = ['in_review', 'capturing', 'approved', 'rejected', 'canceled'];

/** @param scheme also begins the ids of the sample. */
function sample(scheme: 'light' | 'dark'): Html {
  const name = (own: string) => `${scheme}-${own}`;
  const form = { values: {}, errors: { [name('fault')]: ['must be a day, for example 2026-11-21.'] } };
  const text = (own: string, label: string, more = {}) => textField({ name: name(own), label, ...more }, form);
  const fields = [
    text('text', 'Text', { placeholder: 'Spring launch', hint: 'A hint says what the field is for.' }),
    text('fault', 'With a fault', { type: 'date', value: 'yesterday' }),
    text('area', 'Text area', { rows: 2, value: 'Several lines' }),
    text('color', 'Color', { type: 'color', value: '#0f6472' }),
    selectField({ name: name('select'), label: 'Select', choices: [['', 'Any']] }, form),
    field({ name: name('file'), label: 'File' }, {}, () => html`<input id="${name('file')}" type="file">`),
    checkboxes(
      { name: name('boxes'), label: 'Check boxes' },
      [
        checkbox({ name: name('on'), label: 'Chosen', isChecked: true }),
        checkbox({ name: name('off'), label: 'Not chosen', isChecked: false }),
      ],
      {},
    ),
  ];
  const buttons = [
    button({ label: 'Primary', kind: 'primary', icon: 'plus' }),
    button({ label: 'Usual' }),
    button({ label: 'Danger', kind: 'danger' }),
    button({ label: 'Quiet', kind: 'quiet' }),
    button({ label: 'Only an icon', icon: 'download', iconOnly: true }),
    html`<button disabled>Disabled</button>`,
    linkButton({ href: '#main', label: 'Link' }),
    button({ label: 'Dialog', opens: name('dialog') }),
    menu({ label: 'Menu', icon: 'ellipsis' }, [
      linkButton({ href: '#main', label: 'A link', icon: 'pencil' }),
      html`<form>${button({ label: 'A form', icon: 'trash-2' })}</form>`,
    ]),
  ];
  const columns = [
    {
      label: 'Campaign',
      kind: 'main',
      sorting: { href: '#main', state: 'ascending' },
      cell: (row: string) => html`<a href="#main">${row}</a><span class="meta">and a second line</span>`,
    },
    { label: 'Status', cell: (row: string) => badge(row, row) },
    { label: 'Sets', kind: 'number', cell: () => 12 },
  ] as const;
  return html`<div class="${scheme}">
${pageHead({
  title: `In ${scheme}`,
  up: { href: '#main', label: 'The page above' },
  badge: badge('approved', 'Approved'),
  meta: 'One line about it',
  actions: buttons[0],
})}
${tabs(`Tabs in ${scheme}`, [
  { label: 'Current', href: '#main', isCurrent: true, count: 12 },
  { label: 'Other', href: '#main', isCurrent: false },
])}
<div class="actions">${buttons}</div>
<p>${STATES.map((state) => html`${badge(state, state)} `)}</p>
<p>Text, <a href="#main">a link</a>, <code>code</code>, <kbd>R</kbd>,
  <span class="meta">something beside it</span>, <span class="fault">a fault</span></p>
<p class="note warnings">A warning</p><p class="note fault">A fault that concerns the whole page</p>
${panel('A card with a form', html`<form class="fields">${fields}${button({ label: 'Save', kind: 'primary' })}</form>`)}
${panel(
  'Facts',
  facts([
    ['Name', 'Spring launch'],
    ['Id', copyText('the id', 'f09c5616')],
  ]),
)}
${copyField(`A secret in ${scheme}`, 'whsec_0123456789')}
${table({ columns, rows: STATES })}
${numberedPages({ page: 2, pages: 3, addressOf: () => '#main' })}
<progress value="0.4" aria-label="Progress in ${scheme}"></progress>
${emptyState({
  title: 'Nothing yet',
  text: 'It says what to do first.',
  action: linkButton({ href: '#main', label: 'Do it', kind: 'primary' }),
})}
<details><summary>Details</summary><pre tabindex="0">{ "for": "engineers" }</pre></details>
<p>${ICON_NAMES.map((one) => html`${icon(one)} `)}</p>
${dialog(name('dialog'), 'A dialog', html`<p>It closes with Escape.</p>`)}
</div>`;
}

export function addStyleguideRoutes(pages: PageRoutes): void {
  const { isDev = false, publicUrl } = pages.options;
  if (!isDev) return;
  const page = { title: 'Style guide', body: html`<div class="schemes">${sample('light')}${sample('dark')}</div>` };
  pages.router.get('/styleguide', (_request, response) =>
    pages.send(response, page, { paths: pathsOf(publicUrl, '') }),
  );
}
