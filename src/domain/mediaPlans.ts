/** Reads the columns and cells of media plans. */
import { type Device, type DeviceName, deviceMeant, findDevice } from './devices.ts';
import { readMoments } from './markers.ts';
import { siteFault } from './webAddresses.ts';

export const PLAN_LIMITS = {
  bytes: 5 * 1024 * 1024,
  unpackedBytes: 32 * 1024 * 1024,
  /** The sheets of a workbook that are searched for headings. */
  sheets: 20,
  rows: 2_000,
  columns: 50,
  cell: 10_000,
  /** The most bytes of the rows as JSON: the draft of a request holds them. */
  keptBytes: 1.5 * 1024 * 1024,
  pictures: 50_000,
  /** Whose meaning an organization has said. */
  words: 500,
};

/** The names of devices by words that only the organization knows, in lower case. */
export type PlanWords = Readonly<Record<string, string>>;

/** A longer cell is not a list that a person wrote, and matching it would take long. */
const LIST_MAX = 200;
const TOO_LONG = { fault: `This has more than ${LIST_MAX} characters: shorten it, or use several rows.` };

/** The columns that are read. A plan may have others, which are shown but ignored. */
export const PLAN_COLUMNS = ['ad', 'site', 'device', 'size', 'moment', 'market'] as const;
export type PlanColumn = (typeof PLAN_COLUMNS)[number];

/**
 * Headings in English, German and French, without "name", "type" and the like, the more exact ones first. The address of
 * a landing page is not a site.
 */
const HEADINGS: Readonly<Record<PlanColumn, readonly RegExp[]>> = {
  ad: [
    /^(ad |creative |banner |asset )?(file|filename|datei|dateiname|fichier|nom du fichier)$/,
    /^(ad |banner )?(creative|creatives|motiv|visuel|creation)( id)?$/,
    /^(ad|ads|banner|asset|material|artwork|werbemittel|anzeige|annonce|banniere)( id)?$/,
  ],
  site: [
    /^(placement|site|page|publisher|website|media|property|screenshot|live|article) (url|link|address)$/,
    /^(url|web address|web page|webpage|address|adresse|page|seite|webseite|link)$/,
    /^(site|sites|website|web site|websitename|domain|domaine|publisher domain|site domain|site web|umfeld|werbetrager|property)$/,
    /^(publisher|publishers|media owner|vendor|supplier|media|medium|outlet|portal|titel|editeur|support|vermarkter)$/,
  ],
  device: [
    /^(target )?(device|devices|endgerat|gerat|gerate|appareil|appareils|terminal|device category)$/,
    /^(platform|environment|screen|plattform|ausspielung|plateforme|ad environment)$/,
  ],
  size: [
    /^((ad|creative|banner|placement|unit|ad unit|werbemittel) )?(size|sizes|dimension|dimensions|pixel|pixels|grosse|abmessungen|taille)$/,
    /^((ad|creative|banner|display) )?(format|formats|formate|werbeformat|werbeform|werbeformen)$/,
  ],
  moment: [
    /^(moment|moments|marker|markers|second|seconds|sec|timestamp|frame|frames|sekunde|sekunden|zeitpunkt|instant|seconde|secondes)$/,
  ],
  market: [/^(market|markets|country|countries|geo|geography|region|territory|location|markt|land|pays|marche)$/],
};

/** Without accents, marks and brackets with their content. */
function plain(heading: string): string {
  return heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
    .replace(/[^\p{L}\p{N}/|]+/gu, ' ')
    .trim();
}

const ENDING = / (name|names|type|types|px|w x h|wxh)$/;

/** @returns how exactly the heading names the column: the lower, the better; undefined if it does not. */
function rankOf(heading: string, column: PlanColumn): number | undefined {
  const words = plain(heading.slice(0, LIST_MAX));
  const names = [words, ...words.split(/[/|]/).map((part) => part.trim())].map((name) => name.replace(ENDING, ''));
  const rank = HEADINGS[column].findIndex((pattern) => names.some((name) => pattern.test(name)));
  return rank < 0 ? undefined : rank;
}

/** The rows at the top that may be titles or headings. */
export const HEADING_ROWS = 20;

export interface PlanHeadings {
  /** The index of the row, from 0. */
  readonly row: number;
  /** Indexes of columns, from 0. */
  readonly columns: Readonly<Partial<Record<PlanColumn, number>>>;
}

/** @returns undefined if no row has a heading for the sites and a second one for the ads, their sizes or the devices. */
export function findHeadings(table: readonly (readonly string[])[]): PlanHeadings | undefined {
  const found = table
    .slice(0, HEADING_ROWS)
    .map((cells, row) => ({ row, columns: columnsOf(cells, table.slice(row + 1)) }));
  const usable = found.filter(
    ({ columns: { site, ad, size, device } }) => site !== undefined && (ad ?? size ?? device) !== undefined,
  );
  return usable.toSorted((one, two) => Object.keys(two.columns).length - Object.keys(one.columns).length)[0];
}

/** @returns the place of the sites in a list, if they have a heading. */
export function findSiteColumn(table: readonly (readonly string[])[]): { row: number; column: number } | undefined {
  for (const [row, cells] of table.slice(0, HEADING_ROWS).entries()) {
    const { site } = columnsOf(cells, table.slice(row + 1));
    if (site !== undefined) return { row, column: site };
  }
  return undefined;
}

function columnsOf(headings: readonly string[], rows: readonly (readonly string[])[]) {
  const columns: Partial<Record<PlanColumn, number>> = {};
  for (const column of PLAN_COLUMNS) {
    const ranked = headings.flatMap((heading, index) => {
      const rank = rankOf(heading, column);
      return rank === undefined
        ? []
        : [{ index, rank: rank + (column === 'site' && !hasAddresses(rows, index) ? 10 : 0) }];
    });
    const [best] = ranked.toSorted((one, two) => one.rank - two.rank);
    if (best !== undefined) columns[column] = best.index;
  }
  return columns;
}

/** A plan may name a publisher in one column and the address of its page in another. */
function hasAddresses(rows: readonly (readonly string[])[], index: number): boolean {
  return rows.some((cells) => isAddress(cells[index] ?? ''));
}

function isAddress(text: string): boolean {
  return (
    /^\s*(https?:\/\/)?([\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}(:\d+)?([/?#]\S*)?\s*$/iu.test(text) ||
    /^\s*https?:\/\//i.test(text)
  );
}

type Cell<T> = { readonly value: T } | { readonly fault: string };

export function siteCell(text: string): Cell<string> {
  if (text.trim() === '') return { fault: 'Enter the address of the page.' };
  if (!isAddress(text)) return { fault: 'Not an address. Enter that of the page, such as news.example/travel.' };
  const fault = siteFault(text);
  return fault === undefined ? { value: text.trim() } : { fault: `The address ${fault}` };
}

const SEPARATOR = /\s*(?:[,;/&+|\n]|\band\b|\bund\b|\bet\b)\s*/i;
const BOTH = /^(all|all devices|any|cross[ -]?device|multi[ -]?device|multi[ -]?screen|responsive|alle|tous)$/i;

/** @returns the words of a cell that are no names of devices, in lower case. The whole cell may be one. */
export function unknownDevices(text: string): string[] {
  const given = text.trim();
  if (given === '' || given.length > LIST_MAX || BOTH.test(given) || deviceMeant(given)) return [];
  const parts = given.split(SEPARATOR);
  return parts.every((part) => !deviceMeant(part))
    ? [given.toLowerCase()]
    : parts.filter((part) => !deviceMeant(part)).map((part) => part.toLowerCase());
}

/** @param usual the devices for an empty cell. */
export function deviceCell(
  text: string,
  usual: readonly DeviceName[],
  words: PlanWords = {},
): Cell<readonly DeviceName[]> {
  if (text.length > LIST_MAX) return TOO_LONG;
  const given = text.trim();
  if (given === '') return usual.length > 0 ? { value: usual } : { fault: 'Enter a device, or choose one above.' };
  if (BOTH.test(given)) return { value: ['desktop', 'mobile'] };
  const meaningOf = (word: string) =>
    deviceMeant(word) ??
    (Object.hasOwn(words, word.toLowerCase()) ? findDevice(words[word.toLowerCase()] ?? '') : undefined);
  const whole = meaningOf(given);
  const meant = whole === undefined ? given.split(SEPARATOR).map(meaningOf) : [whole];
  const devices = meant.filter((device): device is Device => device !== undefined);
  if (devices.length === meant.length) return { value: [...new Set(devices.map(({ name }) => name))] };
  return {
    fault:
      'This device is not known. Enter desktop, mobile, tablet, a model such as iPhone 14, or a size such as 1440x900.',
  };
}

const SIZE = /(\d{1,4})\s*[x×*]\s*(\d{1,4})/gi;

/** @returns all sizes in the cell, such as those of "300x250, 728 × 90 px"; none for an empty cell. */
export function sizeCell(text: string): Cell<readonly { readonly width: number; readonly height: number }[]> {
  if (text.length > LIST_MAX) return TOO_LONG;
  const sizes = [...text.matchAll(SIZE)].map(([, width, height]) => ({ width: Number(width), height: Number(height) }));
  if (sizes.length > 0 || !/\d/.test(text)) return { value: sizes };
  return { fault: 'This is not a size. Enter width × height in pixels, such as 300x250.' };
}

/** @returns the seconds in the cell; none for an empty cell. */
export function momentCell(text: string): Cell<readonly number[]> {
  const { moments, faults } = readMoments(text);
  return faults.length === 0 ? { value: moments } : { fault: faults.join(' ') };
}

/** The ids of locations by the names of markets, in lower case. */
export type Markets = ReadonlyMap<string, string>;

/** Languages of media plans. The short form of English has "UK" and "US". */
const COUNTRY_NAMES = (['en', 'de', 'fr'] as const).flatMap((language) =>
  (['long', 'short'] as const).map((style) => new Intl.DisplayNames(language, { type: 'region', style })),
);

/** An id takes precedence over a name, a name over a country, and the first location of a country over the others. */
export function marketsOf(
  locations: readonly { readonly id: string; readonly name: string; readonly country: string }[],
): Markets {
  const ofCountries = locations.flatMap(({ id, country }) =>
    [country, ...COUNTRY_NAMES.map((names) => names.of(country) ?? country)].map((name) => [name, id] as const),
  );
  const [ids, names] = [locations.map(({ id }) => [id, id]), locations.map(({ id, name }) => [name, id])] as const;
  // The last entry of a key wins.
  return new Map(
    [...ids, ...names, ...ofCountries].toReversed().map(([name = '', id = '']) => [name.toLowerCase(), id]),
  );
}

/** @returns the ids of the locations in the cell; none for an empty cell. */
export function marketCell(text: string, markets: Markets): Cell<readonly string[]> {
  if (text.length > LIST_MAX) return TOO_LONG;
  const given = text.trim().toLowerCase();
  if (given === '') return { value: [] };
  const whole = markets.get(given);
  const found = whole === undefined ? given.split(SEPARATOR).map((name) => markets.get(name)) : [whole];
  const ids = found.filter((id) => id !== undefined);
  if (ids.length === found.length) return { value: [...new Set(ids)] };
  return {
    fault: 'No location has this name. Enter one from the list “Location”, or leave it empty.',
  };
}
