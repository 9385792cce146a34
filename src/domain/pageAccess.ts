/** Cookies and headers that a request sets for its page, such as those of a signed-in reader. The values are secrets. */

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export interface PageAccess {
  readonly cookies: readonly NamedValue[];
  readonly headers: readonly NamedValue[];
}

/** The part that may be shown. */
export interface PageAccessNames {
  readonly cookies: readonly string[];
  readonly headers: readonly string[];
}

export const ACCESS_LIMITS = { cookies: 20, headers: 20, name: 128, value: 4_096, bytes: 16_384 } as const;

/** The characters of names (RFC 9110, token). */
export const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The characters of values of cookies (RFC 6265, cookie-octet). */
export const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
/** Visible ASCII with spaces inside, so that no value begins a new line. */
export const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/** Headers that belong to the browser or the connection. Another value would break the request, or contradict the device or the location. */
const RESERVED =
  /^(accept-(encoding|language)|connection|content-(length|type)|cookie2?|date|expect|host|keep-alive|origin|range|referer|te|trailer|transfer-encoding|upgrade|user-agent|via|forwarded|x-forwarded-(for|host|proto)|(proxy|sec|access-control|x-tearsheet)-.*)$/i;

/** @returns why it cannot be the name of a cookie, or undefined. */
export function cookieNameFault(name: string): string | undefined {
  return TOKEN.test(name) ? undefined : `must be letters, digits and !#$%&'*+-.^_\`|~ only.`;
}

export function cookieValueFault(value: string): string | undefined {
  return COOKIE_VALUE.test(value)
    ? undefined
    : 'must be visible ASCII without quotes, commas, semicolons, backslashes and blanks: encode it as the site does.';
}

export function headerNameFault(name: string): string | undefined {
  const fault = 'belongs to the browser or the connection: choose another header, and give cookies as `cookies`.';
  return cookieNameFault(name) ?? (RESERVED.test(name) ? fault : undefined);
}

export function headerValueFault(value: string): string | undefined {
  return HEADER_VALUE.test(value)
    ? undefined
    : 'must be visible ASCII, without line breaks and without blanks around it.';
}

/** @returns why there are too many or the same twice, or undefined. Header names are case-insensitive. */
export function accessFault({ cookies, headers }: PageAccess): string | undefined {
  const names = [...cookies.map(({ name }) => `c ${name}`), ...headers.map(({ name }) => `h ${name.toLowerCase()}`)];
  if (new Set(names).size < names.length) return 'has the same name twice.';
  const bytes = [...cookies, ...headers].reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (bytes > ACCESS_LIMITS.bytes)
    return `must have at most ${ACCESS_LIMITS.bytes.toLocaleString('en')} characters in all cookies and headers.`;
  return undefined;
}

export function namesOf(access: PageAccess | null): PageAccessNames | null {
  const names = (pairs: readonly NamedValue[]) => pairs.map(({ name }) => name);
  return access && { cookies: names(access.cookies), headers: names(access.headers) };
}
