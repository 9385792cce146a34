/** Limits of webhook endpoints, and the rules for the headers that a client adds to their requests. */
export const ENDPOINTS_MAX = 50;
/** An endpoint is disabled when every delivery attempt has failed for this many days. */
export const DISABLE_AFTER_DAYS = 5;
/** An endpoint is disabled for its failures only if at least this many deliveries failed. */
export const FAILED_DELIVERIES_MIN = 3;
export const ENDPOINT_DESCRIPTION_MAX = 250;
export const ENDPOINT_HEADERS_MAX = 10;
export const HEADER_NAME_MAX = 64;
export const HEADER_VALUE_MAX = 1_024;
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Printable ASCII characters. */
export const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Headers that the connection or the service sets. */
const RESERVED =
  /^(accept-encoding|connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|(content|proxy|webhook)-.*)$/i;

/** @returns why a webhook cannot have a header of this name, or undefined. */
export function headerNameFault(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'must be a header name: letters, digits and hyphens.';
  if (name.length > HEADER_NAME_MAX) return `must have a name of at most ${HEADER_NAME_MAX} characters.`;
  return RESERVED.test(name) ? 'is set by the service: use another header.' : undefined;
}

/** @returns why a header cannot have this value, or undefined. */
export function headerValueFault(value: string): string | undefined {
  if (value.trim() === '') return 'must not be blank.';
  if (!HEADER_VALUE.test(value)) return 'must have printable ASCII characters only.';
  return value.length > HEADER_VALUE_MAX
    ? `must be at most ${HEADER_VALUE_MAX.toLocaleString('en')} characters.`
    : undefined;
}
