/** Limits of the request templates and site lists of one organization. */
export const TEMPLATES_MAX = 200;
export const SITE_LISTS_MAX = 200;
/** In JSON. A list of all objects is read at once. */
export const SAVED_BODY_MAX_BYTES = 256 * 1024;
export const SAVED_NAME_MAX = 100;
/** Sites of a template or a site list. */
export const SAVED_SITES_MAX = 1_000;
export const TEMPLATE_DEVICES_MAX = 50;
export const TEMPLATE_ADS_MAX = 100;
