/** Handlers of branding: the texts and colors, and the logo. */
import { BrandingBody, brandingOf } from '../../contract/exports.ts';
import { Faults } from '../../contract/faults.ts';
import { brandingRecord } from '../../core/exports/exportJson.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import { changeBranding, changeLogo } from '../../core/organizations/settings.ts';
import { invalid } from '../../domain/failure.ts';
import { MAX_LOGO_BYTES, replaceLogo } from '../logos/replaceLogo.ts';
import { type AuthorizedRequest, type Handler, jsonResponse } from './endpoint.ts';
import { readJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';
import { readBytes } from './readBytes.ts';

const MAX_BODY_BYTES = 64 * 1024;

const answer = async ({ store }: PublicApiOptions, { organizationId, place }: AuthorizedRequest) =>
  jsonResponse(200, brandingRecord(await readBranding(store.db, organizationId), place.publicUrl));

/** GET …/branding */
export function branding(options: PublicApiOptions): Handler {
  return (call) => answer(options, call);
}

/** PUT …/branding: replaces everything but the logo. */
export function putBranding(options: PublicApiOptions): Handler {
  return async (call) => {
    const { value } = await readJson(call.request, MAX_BODY_BYTES);
    const faults = new Faults();
    const body = faults.read(BrandingBody, value, '');
    if (body === undefined) throw invalid(faults.errors);
    const { organizationId, actor } = call;
    await options.store.db.transaction().execute((tx) => changeBranding(tx, organizationId, brandingOf(body), actor));
    return answer(options, call);
  };
}

/** PUT …/branding/logo: the bytes of a PNG, JPEG, WebP or SVG file. It is stored as a PNG. */
export function putLogo(options: PublicApiOptions): Handler {
  return async (call) => {
    const body = await readBytes(call.request, MAX_LOGO_BYTES);
    const { store, artifacts } = options;
    await replaceLogo({ db: store.db, artifacts }, { organizationId: call.organizationId, file: body }, call.actor);
    return answer(options, call);
  };
}

/** DELETE …/branding/logo */
export function deleteLogo(options: PublicApiOptions): Handler {
  return async (call) => {
    const { organizationId, actor } = call;
    await options.store.db.transaction().execute((tx) => changeLogo(tx, organizationId, null, actor));
    return answer(options, call);
  };
}
