/** Routes of the branding in the settings. */
import type { Router } from 'express';
import { MAX_LOGO_BYTES, replaceLogo } from '../../api/logos/replaceLogo.ts';
import { BrandingBody, brandingOf } from '../../contract/exports.ts';
import { changeBranding, changeLogo } from '../../core/organizations/settings.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField, requireOwnForm } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import type { RouteTools } from '../routing.ts';
import { adminHandlers, readFields, redirectTo, tryForm, typedValues } from './adminHandlers.ts';
import { readBrandingForm } from './brandingForm.ts';
import { brandingPage } from './brandingPage.ts';

const PATH = '/o/:slug/settings/branding';

export function addBrandingRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const admin = adminHandlers(options, handlers);
  router.get(
    PATH,
    admin.page((given) => brandingPage(options, given)),
  );
  router.post(
    PATH,
    admin.page((given) => save(options, given)),
  );
}

async function save(options: PagesOptions, given: ViewerRequest): Promise<ResultsPage | 'sent' | undefined> {
  const { request, viewer, paths } = given;
  const logo = await readBrandingForm(request);
  requireOwnForm(options, request, { viewer, needsWrite: false });
  const run = async (): Promise<ResultsPage | 'sent'> => {
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
    await options.store.db.transaction().execute((tx) => changeBranding(tx, organizationId, branding, given.actor));
    return redirectTo(given, paths.settings('branding'), 'saved');
  };
  return tryForm(run, (errors, status) =>
    brandingPage(options, given, { status, form: { values: typedValues(request), errors } }),
  );
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
