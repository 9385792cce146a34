/** Routes of the branding in the settings. */

import { MAX_LOGO_BYTES, replaceLogo } from '../../api/logos/replaceLogo.ts';
import { readFormWithFile } from '../../api/uploads/multipart.ts';
import { BrandingBody, brandingOf } from '../../contract/exports.ts';
import { type BrandingRow, type Logo, readBranding } from '../../core/organizations/branding.ts';
import { changeBranding, changeLogo } from '../../core/organizations/settings.ts';
import type { PageSize } from '../../domain/branding.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { answerForm, checkbox, EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { formField, hiddenFields, requireOwnForm } from '../parts/forms.ts';
import { formTable, readForm, renderFields } from '../parts/formTable.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { framedPage } from './frame.ts';

const SIZES: Readonly<Record<PageSize, string>> = {
  '16:9': 'Slides (16:9)',
  a4: 'A4, portrait',
  letter: 'US Letter, portrait',
};

const BRANDING = formTable(BrandingBody, {
  brand_name: { label: 'Name' },
  logo: { kind: 'custom', label: 'Logo', hint: `PNG, JPEG, WebP or SVG, at most ${MAX_LOGO_BYTES / 1024 / 1024} MiB.` },
  accent_color: { kind: 'color', label: 'Accent color', hint: 'The color of lines and table headings.' },
  footer_text: { label: 'Footer', hint: 'At the bottom of each page.' },
  page_size: { kind: 'select', label: 'Page size', choices: Object.entries(SIZES) },
});

export function addBrandingRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings/branding';
  pages.get(path, (given) => brandingPage(options, given), ADMIN);
  pages.post(
    path,
    async (given) => {
      const logo = await readFormWithFile(given.request, MAX_LOGO_BYTES);
      requireOwnForm(given.request, given.viewer.formToken);
      return answerForm(given, {
        run: () => save(options, given, logo),
        again: (form) => brandingPage(options, given, form),
      });
    },
    { scope: 'admin', readsBody: true },
  );
}

async function save(options: PagesOptions, given: ViewerRequest, logo: Buffer): Promise<'sent'> {
  const { request, viewer, paths, actor } = given;
  const branding = brandingOf(readForm(BRANDING, request));
  await saveLogo(options, given, { logo, isRemoved: formField(request, 'remove_logo') !== '' });
  const { organizationId } = viewer;
  await options.store.db.transaction().execute((tx) => changeBranding(tx, organizationId, branding, actor));
  return redirectTo(given, paths.settings('branding'), 'saved');
}

/** A new file replaces the logo, also if its removal was asked for. */
async function saveLogo(
  { store, artifacts }: PagesOptions,
  { viewer: { organizationId }, actor }: ViewerRequest,
  { logo, isRemoved }: { logo: Buffer; isRemoved: boolean },
): Promise<void> {
  if (logo.length > MAX_LOGO_BYTES) {
    throw invalid({ logo: [`must be at most ${MAX_LOGO_BYTES.toLocaleString('en')} bytes.`] });
  }
  if (logo.length > 0) {
    await replaceLogo({ db: store.db, artifacts }, { organizationId, file: logo }, actor).catch((error: unknown) => {
      throw error instanceof Failure && error.status === 422 ? invalid({ logo: error.errors['body'] ?? [] }) : error;
    });
  } else if (isRemoved) await store.db.transaction().execute((tx) => changeLogo(tx, organizationId, null, actor));
}

/** The look of the organization in its exports and on its shared pages. */
async function brandingPage(
  { store }: PagesOptions,
  given: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form = EMPTY_FORM,
): Promise<ResultsPage> {
  const branding = await readBranding(store.db, given.viewer.organizationId);
  const body = html`<p>Used in exports and on shared pages. Changes apply to files requested from now on.</p>
${brandingForm(branding, given, form)}`;
  return framedPage(given, 'branding', { body: panel('Branding', body), status: form.status });
}

function brandingForm(
  branding: BrandingRow,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form: FormState,
): Html {
  const path = paths.settings('branding');
  const known = {
    brand_name: {
      hint: html`On the cover and on shared pages. Without it, the cover shows <code>${viewer.slug}</code>.`,
    },
    logo: { control: logoControl(branding.logo, { paths, form }) },
  };
  return html`<form class="fields" method="post" action="${path}" enctype="multipart/form-data">${hiddenFields(viewer, path)}
${renderFields(BRANDING, { form, stored: branding, known })}
${button({ label: 'Save', kind: 'primary' })}</form>`;
}

const logoControl =
  (logo: Logo | null, { paths, form }: { paths: ViewerRequest['paths']; form: FormState }) =>
  (attributes: HtmlContent): Html => {
    const remove = { name: 'remove_logo', label: 'Remove this logo', isChecked: form.values['remove_logo'] === 'yes' };
    const size = logo && html` width="${logo.width}" height="${logo.height}"`;
    const current =
      logo &&
      html`<p class="logo"><img src="${paths.image(logo.token)}" alt="The current logo"${size}></p>${checkbox(remove)}`;
    return html`${current}
<input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml"${attributes}>`;
  };
