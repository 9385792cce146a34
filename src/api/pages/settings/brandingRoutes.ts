/** Routes of the branding in the settings. */
import type { Router } from 'express';
import { BrandingBody, brandingOf } from '../../../contract/exports.ts';
import { Failure, invalid } from '../../../domain/failure.ts';
import { saveBranding, saveLogo } from '../../../store/organizations/branding.ts';
import { MAX_LOGO_BYTES, replaceLogo } from '../../logos/replaceLogo.ts';
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
    await changeLogo(options, viewer.organizationId, { logo, isRemoved: field('remove_logo') !== '' });
    await saveBranding(options.store.db, viewer.organizationId, branding);
    return redirectTo(given, paths.settings('branding'), 'saved');
  };
  return tryForm(run, (errors, status) =>
    brandingPage(options, given, { status, form: { values: typedValues(request), errors } }),
  );
}

/** A new file replaces the logo, also if its removal was asked for. */
async function changeLogo(
  { store, artifacts }: PagesOptions,
  organizationId: string,
  { logo, isRemoved }: { logo: Buffer; isRemoved: boolean },
): Promise<void> {
  if (logo.length > MAX_LOGO_BYTES) {
    throw invalid({ logo: [`must be at most ${MAX_LOGO_BYTES.toLocaleString('en')} bytes.`] });
  }
  if (logo.length > 0) {
    await replaceLogo({ db: store.db, artifacts }, organizationId, logo).catch((error: unknown) => {
      throw error instanceof Failure && error.status === 422 ? invalid({ logo: error.errors['body'] ?? [] }) : error;
    });
  } else if (isRemoved) await saveLogo(store.db, organizationId, null);
}
