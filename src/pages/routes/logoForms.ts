/** Forms with a logo, of an organization or of the client of a campaign. They are sent as `multipart/form-data`. */
import { MAX_LOGO_BYTES, replaceLogo } from '../../api/logos/replaceLogo.ts';
import { readFormWithFile } from '../../api/uploads/multipart.ts';
import type { Queryable } from '../../db/database.ts';
import type { Logo } from '../../domain/branding.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { ResultsPage } from '../parts/context.ts';
import { answerForm, checkbox, type FormState } from '../parts/formFields.ts';
import { formField, requireOwnForm } from '../parts/forms.ts';
import type { PagePaths } from '../parts/paths.ts';
import type { PageRoutes, ViewerRequest } from './pageRoutes.ts';

export const LOGO_HINT = `PNG, JPEG, WebP or SVG, at most ${MAX_LOGO_BYTES / 1024 / 1024} MiB.`;

/** Stores the logo of the form, or removes it. @param change gets the token of the picture, or null. */
export type SaveLogo = (change: (tx: Queryable, token: string | null) => Promise<void>) => Promise<void>;

interface LogoFormOptions {
  readonly scope: 'admin' | 'write';
  run(given: ViewerRequest, saveLogo: SaveLogo): Promise<'sent'>;
  /** The page with what was typed. */
  again(given: ViewerRequest, form: FormState): Promise<ResultsPage | undefined>;
}

/** @param path also that of the page. */
export function addLogoForm(pages: PageRoutes, path: string, { scope, run, again }: LogoFormOptions): void {
  const answer = async (given: ViewerRequest) => {
    const file = await readFormWithFile(given.request, MAX_LOGO_BYTES);
    requireOwnForm(given.request, given.viewer.formToken);
    const saveLogo: SaveLogo = async (change) => {
      const { organizationId } = given.viewer;
      if (file.length > MAX_LOGO_BYTES) {
        throw invalid({ logo: [`must be at most ${MAX_LOGO_BYTES.toLocaleString('en')} bytes.`] });
      }
      // A new file replaces the logo, also if its removal was asked for.
      if (file.length > 0) {
        await replaceLogo(pages.options, { organizationId, file }, change).catch((error: unknown) => {
          throw error instanceof Failure && error.status === 422
            ? invalid({ logo: error.errors['body'] ?? [] })
            : error;
        });
      } else if (formField(given.request, 'remove_logo') !== '')
        await pages.options.store.db.transaction().execute((tx) => change(tx, null));
    };
    return answerForm(given, { run: () => run(given, saveLogo), again: (form) => again(given, form) });
  };
  pages.post(path, answer, { scope, readsBody: true });
}

export const logoControl =
  (logo: Logo | null, { paths, form }: { paths: PagePaths; form: FormState }) =>
  (attributes: HtmlContent): Html => {
    const remove = { name: 'remove_logo', label: 'Remove this logo', isChecked: form.values['remove_logo'] === 'yes' };
    const size = logo && html` width="${logo.width}" height="${logo.height}"`;
    const current =
      logo &&
      html`<p class="logo"><img src="${paths.image(logo.token)}" alt="The current logo"${size}></p>${checkbox(remove)}`;
    return html`${current}
<input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml"${attributes}>`;
  };
