/** Routes of the branding in the settings. */
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { MAX_LOGO_BYTES, replaceLogo } from '../../api/logos/replaceLogo.ts';
import { BrandingBody, brandingOf } from '../../contract/exports.ts';
import { type BrandingRow, type Logo, readBranding } from '../../core/organizations/branding.ts';
import { changeBranding, changeLogo } from '../../core/organizations/settings.ts';
import { BRAND_NAME_MAX, FOOTER_MAX, PAGE_SIZES, type PageSize } from '../../domain/branding.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { type Html, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import {
  answerForm,
  checkbox,
  EMPTY_FORM,
  type FormState,
  faultOf,
  otherFaults,
  readFields,
  textField,
} from '../fields.ts';
import { formField, hiddenFields, requireOwnForm } from '../forms.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../pageRoutes.ts';
import { settingsPage } from './frame.ts';

const SIZES: Readonly<Record<PageSize, string>> = {
  '16:9': 'Slides (16:9)',
  a4: 'A4, upright',
  letter: 'US Letter, upright',
};
const FIELDS = ['brand_name', 'accent_color', 'footer_text', 'page_size', 'logo'];

/** One byte more than a logo may have shows that a file is too large. */
const LIMITS = { files: 1, fileSize: MAX_LOGO_BYTES + 1, fields: 20, fieldSize: 8_192, parts: 21 };

export function addBrandingRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings/branding';
  pages.get(path, (given) => brandingPage(options, given), ADMIN);
  pages.post(
    path,
    async (given) => {
      const logo = await readBrandingForm(given.request);
      requireOwnForm(options, given.request, { viewer: given.viewer, scope: 'admin' });
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
  const field = (name: string) => formField(request, name);
  const branding = brandingOf(
    readFields(BrandingBody, {
      brand_name: field('brand_name'),
      accent_color: field('accent_color'),
      footer_text: field('footer_text'),
      page_size: field('page_size'),
    }),
  );
  await saveLogo(options, given, { logo, isRemoved: field('remove_logo') !== '' });
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

/** Sets the fields as the body of the request. @returns the file; empty if none was chosen. @throws Failure (400) */
async function readBrandingForm(request: Request): Promise<Buffer> {
  const fields: Record<string, string> = {};
  const chunks: Buffer[] = [];
  const type = request.get('content-type') ?? '';
  if (!type.startsWith('multipart/form-data')) throw malformed();
  await new Promise<void>((resolve, reject) => {
    const fail = () => {
      request.unpipe();
      // Reads on, so that the browser receives the answer.
      request.resume();
      reject(malformed());
    };
    const parser = Busboy({ headers: { 'content-type': type }, limits: LIMITS });
    parser.on('field', (name: string, value: string) => {
      fields[name] = value;
    });
    parser.on('file', (_name: string, file: NodeJS.ReadableStream) => {
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('error', fail);
    });
    parser.on('finish', resolve);
    parser.on('error', fail);
    request.once('error', fail);
    request.pipe(parser);
  });
  request.body = fields;
  return Buffer.concat(chunks);
}

const malformed = () =>
  new Failure({ status: 400, code: 'malformed', errors: { form: ['This form could not be read: reload the page.'] } });

/** The look of the organization in its exports and on its shared pages. */
async function brandingPage(
  { store }: PagesOptions,
  given: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form = EMPTY_FORM,
): Promise<ResultsPage> {
  const branding = await readBranding(store.db, given.viewer.organizationId);
  const body = html`<section class="panel"><h2>Branding</h2>
<p>Exports and shared pages show it. A change applies to files that are requested from now on.</p>
${brandingForm(branding, given, form)}</section>`;
  return settingsPage({ paths: given.paths, current: 'branding', body, status: form.status });
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
