import type { Warning, WarningCode } from '../../domain/warnings.ts';
import type { FailedRequest } from '../browser/pendingRequests.ts';

const CODES: Readonly<Record<string, readonly [WarningCode, string]>> = {
  Image: ['image_not_loaded', 'An image'],
  Script: ['script_not_loaded', 'A script'],
  Font: ['font_not_loaded', 'A font'],
  Stylesheet: ['other', 'A style sheet'],
  Media: ['other', 'A video'],
};

/** More would hide the other warnings. */
const MAX_OF_CODE = 5;
const MAX_ADDRESS = 200;

/** The files of the creative that did not load, for the user of the pictures. */
export class LoadWarnings {
  readonly #warnings = new Map<string, Warning>();

  /** @param shownImages the URLs of failed images that the page shows. Others are tracking pixels, unless the zip has them. */
  add(failures: readonly FailedRequest[], shownImages: readonly string[]): void {
    for (const { url, type, outcome } of failures) {
      if (type === 'Image' && !isOwnFile(url) && !shownImages.includes(url)) continue;
      const why = 'status' in outcome ? `HTTP status ${outcome.status}` : outcome.error;
      this.#add(url, { type, why: isOwnFile(url) ? 'the creative does not contain it' : why });
    }
  }

  /** Requests that did not end in time. */
  addHung(hung: ReadonlyMap<string, string>, shownImages: readonly string[]): void {
    for (const [url, type] of hung) {
      if (type !== 'Image' || shownImages.includes(url))
        this.#add(url, { type, why: 'the server did not answer in time' });
    }
  }

  list(): readonly Warning[] {
    return [...this.#warnings.values()].filter(
      ({ code }, index, all) => all.slice(0, index).filter((other) => other.code === code).length < MAX_OF_CODE,
    );
  }

  #add(url: string, { type, why }: { type: string; why: string }): void {
    const [code, what] = CODES[type] ?? [];
    if (code === undefined || what === undefined) return;
    const name = readableAddress(url);
    this.#warnings.set(`${code} ${name}`, { code, message: `${what} did not load: ${name} (${why}).` });
  }
}

/** Files of a zip and documents of ours have an origin with a random name. */
function isOwnFile(url: string): boolean {
  return /^http:\/\/[0-9a-f]+\.creative\.localhost\//.test(url);
}

/** @returns the path of a file in the zip, or the URL without its query. */
function readableAddress(url: string): string {
  const own = isOwnFile(url) ? decodedPath(new URL(url).pathname.slice(1)) : url.replace(/[?#].*$/s, '');
  return own.slice(0, MAX_ADDRESS);
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // Not UTF-8 when decoded.
  }
}
