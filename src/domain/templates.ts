/** Limits of the request templates of one organization. */
export const TEMPLATES_MAX = 200;
export const TEMPLATE_NAME_MAX = 100;
export const TEMPLATE_SITES_MAX = 1_000;
