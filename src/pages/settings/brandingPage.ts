/** The look of the organization in its exports and on its shared pages. */

import { MAX_LOGO_BYTES } from '../../api/logos/replaceLogo.ts';
import { type BrandingRow, type Logo, readBranding } from '../../core/organizations/branding.ts';
import { BRAND_NAME_MAX, FOOTER_MAX, PAGE_SIZES, type PageSize } from '../../domain/branding.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { checkbox, faultOf, otherFaults, textField } from './fields.ts';
import { settingsPage } from './settingsPage.ts';

const SIZES: Readonly<Record<PageSize, string>> = {
  '16:9': 'Slides (16:9)',
  a4: 'A4, upright',
  letter: 'US Letter, upright',
};
const FIELDS = ['brand_name', 'accent_color', 'footer_text', 'page_size', 'logo'];

export async function brandingPage(
  { store }: PagesOptions,
  given: Pick<ViewerRequest, 'viewer' | 'paths'>,
  { form = EMPTY_FORM, status }: { form?: FormState; status?: number } = {},
): Promise<ResultsPage> {
  const branding = await readBranding(store.db, given.viewer.organizationId);
  const body = html`<section class="panel"><h2>Branding</h2>
<p>Exports and shared pages show it. A change applies to files that are requested from now on.</p>
${brandingForm(branding, given, form)}</section>`;
  return settingsPage({ paths: given.paths, current: 'branding', body, ...(status !== undefined && { status }) });
}

function brandingForm(
  branding: BrandingRow,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form: FormState,
): Html {
  const { values, errors } = form;
  const path = paths.settings('branding');
  const size = values['page_size'] ?? branding.page_size;
  const nameHint = html`On the cover and on shared pages. The cover shows <code>${viewer.slug}</code> without it.`;
  return html`<form class="fields" method="post" action="${path}" enctype="multipart/form-data">${hiddenFields(viewer, path)}
${otherFaults(errors, FIELDS)}
${textField({ name: 'brand_name', label: 'Name', value: branding.brand_name ?? '', max: BRAND_NAME_MAX, hint: nameHint }, form)}
${logoField(branding.logo, { paths, form })}
<label for="accent_color">Accent color</label><div><input id="accent_color" name="accent_color" type="color" value="${values['accent_color'] ?? branding.accent_color}">${faultOf('accent_color', 'The color', errors)}<p class="hint">Lines and table headings have this color.</p></div>
${textField({ name: 'footer_text', label: 'Footer', value: branding.footer_text ?? '', max: FOOTER_MAX, hint: 'At the foot of each page.' }, form)}
<label for="page_size">Page size</label><div><select id="page_size" name="page_size">${PAGE_SIZES.map((name) => html`<option value="${name}"${name === size && html` selected`}>${SIZES[name]}</option>`)}</select>${faultOf('page_size', 'The page size', errors)}</div>
<button class="primary">Save</button></form>`;
}

function logoField(logo: Logo | null, { paths, form }: { paths: ViewerRequest['paths']; form: FormState }): Html {
  const remove = { name: 'remove_logo', label: 'Remove this logo', isChecked: form.values['remove_logo'] === 'yes' };
  const fault = form.errors['logo'];
  return html`<label for="logo">Logo</label><div>${logo !== null && html`<p class="logo"><img src="${paths.image(logo.token)}" alt="The current logo" width="${logo.width}" height="${logo.height}"></p>${checkbox(remove)}`}
<input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml" aria-describedby="${fault !== undefined && 'logo-fault '}logo-hint"${fault !== undefined && html` aria-invalid="true"`}>
${faultOf('logo', 'The logo', form.errors)}<p id="logo-hint" class="hint">PNG, JPEG, WebP or SVG, at most ${MAX_LOGO_BYTES / 1024 / 1024} MiB.</p></div>`;
}
