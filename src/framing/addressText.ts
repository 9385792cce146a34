/** Writes a page's address as a browser shows it. */
import { domainToUnicode } from 'node:url';
import { cutMiddle } from '../domain/middle.ts';

export interface AddressText {
  readonly isSecure: boolean;
  readonly host: string;
  /** Path, query and fragment; '' for the root. */
  readonly rest: string;
}

/** Controls, and marks that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @param max the most characters of host and rest together. The middle of a longer address is left out. */
export function addressText(address: string, max: number): AddressText {
  const url = URL.parse(address) ?? URL.parse(`https://${address}`);
  if (url === null) return { isSecure: false, host: cutMiddle(clean(address), max), rest: '' };
  const host = clean(hostOf(url));
  const rest = clean(decode(`${url.pathname}${url.search}${url.hash}`)).replace(/^\/$/, '');
  const shownHost = cutMiddle(host, max);
  const left = max - shownHost.length;
  return { isSecure: url.protocol === 'https:', host: shownHost, rest: left < 4 ? '' : cutMiddle(rest, left) };
}

function hostOf(url: URL): string {
  const name = domainToUnicode(url.hostname) || url.hostname;
  return url.port === '' ? name : `${name}:${url.port}`;
}

/** Percent-encoding that is not UTF-8 stays as it is. */
function decode(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

const clean = (text: string) => text.replace(INVISIBLE, '').toWellFormed();
