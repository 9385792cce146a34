/**
 * Reads a page that a browser saved as MHTML. Mail parsers join the HTML parts of a message into one and leave out their addresses,
 * which are what matters here.
 */
import { GIVEN_PAGE_LIMITS } from '../../domain/uploads.ts';

/** A part of a page, as a server would send it. */
export interface PagePart {
  readonly type: string;
  readonly body: Buffer;
}

/** Shows why the file of a user cannot be a page, as a sentence for the user. */
export class GivenPageError extends Error {}

interface MimePart {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** One character for each byte. */
  readonly body: string;
}

/** Parts that contain parts. */
const MAX_DEPTH = 3;
/** The address of a part that has none of its own. */
const PART_PATH = '/given-page-part/';

/** @returns the part at an address. @throws GivenPageError */
export function readMhtml(bytes: Buffer, site: URL): (url: URL) => PagePart | undefined {
  const whole = partOf(bytes.toString('latin1'));
  const parts = partsOf(whole, MAX_DEPTH);
  const main = parts.find((part) => /^text\/html|xhtml/i.test(typeOf(part)));
  if (main === undefined)
    throw new GivenPageError('The saved page is damaged: it has no HTML part. Save it again as MHTML.');
  const location = main.headers.get('content-location') ?? whole.headers.get('snapshot-content-location') ?? '';
  const base = URL.parse(location) ?? site;
  /** By the names that the page uses in place of addresses: `cid:…`. */
  const addresses = new Map<string, string>();
  const byAddress = new Map<string, MimePart>();
  for (const [index, part] of parts.entries()) {
    const own = part.headers.get('content-location') ?? '';
    const isNamed = own === '' || /^cid:/i.test(own);
    const url = isNamed ? new URL(`${PART_PATH}${index}`, base) : URL.parse(own, base);
    if (url === null) continue;
    if (!byAddress.has(keyOf(url))) byAddress.set(keyOf(url), part);
    const id = part.headers.get('content-id')?.replace(/^<|>$/g, '');
    for (const name of [id && `cid:${id}`, isNamed && own]) if (name) addresses.set(name, url.href);
  }
  return (url) => {
    // The client may name the site by another address than the one that was saved.
    const saved = url.origin === site.origin ? new URL(url.pathname + url.search, base) : url;
    const part = isSame(url, site) ? main : (byAddress.get(keyOf(url)) ?? byAddress.get(keyOf(saved)));
    return part && { type: part.headers.get('content-type') ?? '', body: contentOf(part, addresses) };
  };
}

export function isSame(one: URL, two: URL): boolean {
  return one.origin === two.origin && one.pathname === two.pathname && one.search === two.search;
}

const keyOf = ({ href }: URL) => href.replace(/#.*$/s, '');

function contentOf(part: MimePart, addresses: ReadonlyMap<string, string>): Buffer {
  const decoded = decode(part);
  if (!/^text\/(html|css)|xhtml/i.test(typeOf(part))) return decoded;
  const text = decoded
    .toString('latin1')
    .replaceAll(/cid:[^\s"'()<>\\]+/g, (name) => addresses.get(name) ?? name)
    // Chromium saves shadow roots under a name that only its own reader of MHTML knows.
    .replaceAll('<template shadowmode=', '<template shadowrootmode=');
  return Buffer.from(text, 'latin1');
}

function decode({ headers, body }: MimePart): Buffer {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable': {
      const text = body
        .replaceAll(/=[ \t]*\r?\n/g, '')
        .replaceAll(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(text, 'latin1');
    }
    default:
      return Buffer.from(body, 'latin1');
  }
}

const typeOf = ({ headers }: MimePart) => headers.get('content-type') ?? '';

/** @returns the parts that contain no others. */
function partsOf(part: MimePart, depth: number): MimePart[] {
  const type = typeOf(part);
  if (!/^multipart\//i.test(type)) return [part];
  const [, quoted, plain] = /boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || depth === 0) return [];
  const [, ...inside] = `\n${part.body}`.split(`\n--${boundary}`);
  const found = inside
    .filter((text) => !text.startsWith('--'))
    .flatMap((text) => partsOf(partOf(text.replace(/^[ \t]*\r?\n/, '').replace(/\r$/, '')), depth - 1));
  if (found.length > GIVEN_PAGE_LIMITS.parts)
    throw new GivenPageError(
      `The saved page has ${found.length} parts; at most ${GIVEN_PAGE_LIMITS.parts} are allowed.`,
    );
  return found;
}

function partOf(text: string): MimePart {
  const end = /\r?\n\r?\n/.exec(text);
  const head = text.slice(0, end?.index ?? 0).replaceAll(/\r?\n[ \t]+/g, ' ');
  const headers = head.split(/\r?\n/).map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: end ? text.slice(end.index + end[0].length) : text };
}
