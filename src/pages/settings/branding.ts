/** Routes of the branding in the settings. */

import { BrandingBody, brandingOf } from '../../contract/exports.ts';
import { type BrandingRow, readBranding } from '../../core/organizations/branding.ts';
import { changeBranding, changeLogo } from '../../core/organizations/settings.ts';
import type { PageSize } from '../../domain/branding.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { formTable, readForm, renderFields } from '../parts/formTable.ts';
import { addLogoForm, LOGO_HINT, logoControl, type SaveLogo } from '../routes/logoForms.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { framedPage } from '../routes/settingsFrame.ts';

const SIZES: Readonly<Record<PageSize, string>> = {
  '16:9': 'Slides (16:9)',
  a4: 'A4, portrait',
  letter: 'US Letter, portrait',
};

const BRANDING = formTable(BrandingBody, {
  brand_name: { label: 'Name' },
  logo: { kind: 'custom', label: 'Logo', hint: LOGO_HINT },
  accent_color: { kind: 'color', label: 'Accent color', hint: 'The color of lines and table headings.' },
  footer_text: { label: 'Footer', hint: 'At the bottom of each page.' },
  page_size: { kind: 'select', label: 'Page size', choices: Object.entries(SIZES) },
});

export function addBrandingRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings/branding';
  pages.get(path, (given) => brandingPage(options, given), ADMIN);
  addLogoForm(pages, path, {
    scope: 'admin',
    run: (given, saveLogo) => save(options, given, saveLogo),
    again: (given, form) => brandingPage(options, given, form),
  });
}

async function save(options: PagesOptions, given: ViewerRequest, saveLogo: SaveLogo): Promise<'sent'> {
  const { request, viewer, paths, actor } = given;
  const branding = brandingOf(readForm(BRANDING, request));
  const { organizationId } = viewer;
  await saveLogo((tx, token) => changeLogo(tx, organizationId, token, actor));
  await options.store.db.transaction().execute((tx) => changeBranding(tx, organizationId, branding, actor));
  return redirectTo(given, paths.settings('branding'), 'saved');
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
