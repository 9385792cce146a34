/** Reads what a media plan asks for: exact combinations of ad, site, device and moment, and the faults of its cells. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { AD_NAME_MAX, type AdSize } from '../../domain/ads.ts';
import { type Combination, combinationsOf, type WantedAd } from '../../domain/combinations.ts';
import type { DeviceName } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import {
  deviceCell,
  findHeadings,
  type Markets,
  marketCell,
  momentCell,
  PLAN_LIMITS,
  type PlanColumn,
  type PlanHeadings,
  type PlanWords,
  siteCell,
  sizeCell,
  unknownDevices,
} from '../../domain/mediaPlans.ts';
import { isUuid } from '../../domain/slugs.ts';
import { AD_SIZE, IS_STILL } from '../ads/readAd.ts';
import { readPlanWords } from './planWords.ts';
import type { Table } from './readTable.ts';

export interface PlanAd extends WantedAd {
  readonly name: string;
  readonly lookupKey: string | null;
}

export interface CellFault {
  /** Indexes in the table, from 0. */
  readonly row: number;
  readonly column: number;
  /** A sentence that says what to do. */
  readonly text: string;
}

export interface MediaPlan {
  readonly headings: PlanHeadings;
  /** From the rows without faults, perhaps with repetitions. */
  readonly combinations: readonly Combination[];
  readonly faults: readonly CellFault[];
  /** The words for devices that only the organization knows, with the number of their rows, and the device if it is known. */
  readonly words: readonly { readonly word: string; readonly rows: number; readonly device: string | undefined }[];
}

export interface PlanContext {
  /** The meanings of words that only the organization knows. */
  readonly words?: PlanWords;
  /** The ads of the request, which count before others. */
  readonly own: readonly PlanAd[];
  /** Other ads of the organization, the newest first. */
  readonly others: readonly PlanAd[];
  /** For rows without a device. */
  readonly devices: readonly DeviceName[];
  /** For rows without a moment. */
  readonly markers: readonly number[];
  /** For rows without a market. */
  readonly locations?: readonly string[] | undefined;
  /** Undefined if the operator offers no locations. Then markets do not count. */
  readonly markets?: Markets | undefined;
}

interface PlanRequest extends Omit<PlanContext, 'own' | 'others'> {
  readonly organizationId: string;
  readonly table: Table;
  /** Unless given, those that the table names. */
  readonly headings?: PlanHeadings | undefined;
  /** The ads of the request. */
  readonly adIds: readonly string[];
}

/** @throws Failure (422) if no row of the table names its columns. */
export async function readMediaPlan(db: Queryable, request: PlanRequest): Promise<MediaPlan> {
  const { table, adIds, headings = findHeadings(table), ...usual } = request;
  if (headings === undefined) throw invalid({ plan: [NO_HEADINGS] });
  const ads = await readPlanAds(db, request, headings.columns.ad);
  const words = await readPlanWords(db, request.organizationId);
  const isOwn = ({ id }: PlanAd) => adIds.includes(id);
  return planOf(table, headings, { ...usual, words, own: ads.filter(isOwn), others: ads.filter((ad) => !isOwn(ad)) });
}

const NO_HEADINGS =
  'No row names the columns. Put a row on top with the words Ad, Site and Device, and perhaps Size and Moment.';

/** An ad may be named after its file, and the plan may leave out the ending. */
const ENDINGS = ['', '.png', '.jpg', '.jpeg', '.gif', '.webp', '.svg', '.zip', '.html', '.mp4', '.xml'];

/** The newest counts if other ads have the same name and size. */
async function readPlanAds(
  db: Queryable,
  { organizationId, table, adIds }: PlanRequest,
  column: number | undefined,
): Promise<readonly PlanAd[]> {
  const cells =
    column === undefined
      ? []
      : [...new Set(table.map((row) => row[column] ?? ''))].filter((cell) => cell !== '' && cell.length <= AD_NAME_MAX);
  const names = cells.flatMap((cell) => ENDINGS.map((ending) => `${cell}${ending}`));
  const ids = [...adIds, ...cells.filter(isUuid)];
  const { rows } = await sql<PlanAd>`
    select id, name, lookup_key as "lookupKey", ${AD_SIZE} as size, ${IS_STILL} as still
    from ads
    where id in (
      select distinct on (exact, name, width, height) id
      from (
        select id, created_at, lower(name) as name, coalesce(given_width, width) as width,
          coalesce(given_height, height) as height,
          case when id = any(${ids}::uuid[]) or lookup_key = any(${cells}::text[]) then id end as exact
        from ads
        where organization_id = ${organizationId} and (id = any(${ids}::uuid[]) or (status in ('pending', 'uploaded')
          and (lower(name) = any(select lower(given) from unnest(${names}::text[]) given) or lookup_key = any(${cells}::text[]))))
      ) named
      order by exact, name, width, height, created_at desc, id)
    order by created_at desc, id`.execute(db);
  return rows;
}

/** Reads the rows below the headings. Rows without content, and rows of totals, do not count. */
export function planOf(table: Table, headings: PlanHeadings, context: PlanContext): MediaPlan {
  const combinations: Combination[] = [];
  const faults: CellFault[] = [];
  const rowsOf = new Map<string, number>();
  const { words = {} } = context;
  const { columns } = headings;
  const [ofRequest, ofOthers] = [finderOf(context.own), finderOf(context.others)];
  const named = (text: string) => (text === '' ? context.own : (ofRequest(text) ?? ofOthers(text) ?? []));
  for (const [row, cells] of table.entries()) {
    const cell = (column: PlanColumn) => cells[columns[column] ?? -1] ?? '';
    const isEmpty = cell('ad') === '' && cell('site') === '' && cell('size') === '';
    if (row <= headings.row || isEmpty || isTotal(cell('site'), cells)) continue;
    const found: CellFault[] = [];
    const read = <T>(column: PlanColumn, result: { readonly value: T } | { readonly fault: string }): T | undefined => {
      if ('value' in result) return result.value;
      found.push({ row, column: columns[column] ?? columns.site ?? 0, text: result.fault });
      return undefined;
    };
    for (const word of unknownDevices(cell('device'))) rowsOf.set(word, (rowsOf.get(word) ?? 0) + 1);
    const site = read('site', siteCell(cell('site')));
    const devices =
      columns.device === undefined
        ? context.devices
        : read('device', deviceCell(cell('device'), context.devices, words));
    const sizes = read('size', sizeCell(cell('size')));
    const moments = read('moment', momentCell(cell('moment')));
    const markets = context.markets && read('market', marketCell(cell('market'), context.markets));
    const ads = sizes && read(columns.ad === undefined ? 'size' : 'ad', adCell(cell('ad'), sizes, named(cell('ad'))));
    faults.push(...found);
    if (found.length > 0 || !site || !devices || !moments || !ads) continue;
    const markers = moments.length === 0 ? context.markers : moments;
    const locations = markets === undefined || markets.length === 0 ? context.locations : markets;
    const count = ads.length * devices.length * Math.max(1, markers.length) * Math.max(1, locations?.length ?? 0);
    if (combinations.length + count > PLAN_LIMITS.pictures) {
      faults.push({ row, column: columns.site ?? 0, text: TOO_MANY });
      continue;
    }
    for (const one of combinationsOf({ ads, sites: [site], devices, markers, locations })) combinations.push(one);
  }
  const known = (word: string) => (Object.hasOwn(words, word) ? words[word] : undefined);
  return {
    ...{ headings, combinations, faults },
    words: [...rowsOf].map(([word, rows]) => ({ word, rows, device: known(word) })),
  };
}

const TOO_MANY = `The plan gives more than ${PLAN_LIMITS.pictures.toLocaleString('en')} pictures: send it in parts.`;

/** Another column may name an advertiser that is called so. */
function isTotal(site: string, cells: readonly string[]): boolean {
  return (site === '' || TOTAL.test(site)) && cells.some((text) => TOTAL.test(text));
}

const TOTAL = /^(sub|grand )?(total|summe|gesamt|somme)s?:?$/i;

type AdCell = { readonly value: readonly PlanAd[] } | { readonly fault: string };

/** The cell names an ad by id, lookup key or name. Without a name, the size decides among the ads of the request. */
function adCell(text: string, sizes: readonly AdSize[], named: readonly PlanAd[]): AdCell {
  if (named.length === 0)
    return {
      fault: text === '' ? NO_AD : `No ad has this name: upload the file “${text}”, or enter the name of an ad.`,
    };
  if (sizes.length === 0) return text === '' ? { fault: NO_AD } : onlyOne(named);
  const found = sizes.map((size) => ofSize(named, size));
  const missing = found.findIndex((ad) => ad === undefined);
  if (missing >= 0) return { fault: sizeFault(text, sizes[missing], named) };
  return { value: [...new Set(found.filter((ad) => ad !== undefined))] };
}

const NO_AD = 'Enter the name of an ad, or upload its file.';

/** The newest one counts if several ads have the same name. */
function ofSize(ads: readonly PlanAd[], size: AdSize): PlanAd | undefined {
  const fits = ({ size: own }: PlanAd) => own?.width === size.width && own.height === size.height;
  return ads.find(fits) ?? ads.find((ad) => ad.size === null);
}

function onlyOne(named: readonly PlanAd[]): AdCell {
  const [first] = named;
  const kinds = new Set(named.map(({ name, size }) => `${name} ${sizeName(size)}`.trim()));
  if (first !== undefined && kinds.size === 1) return { value: [first] };
  return {
    fault: `Several ads have this name (${[...kinds].slice(0, 5).join(', ')}): enter the size, or the id of one.`,
  };
}

function sizeFault(text: string, wanted: AdSize | undefined, named: readonly PlanAd[]): string {
  const size = sizeName(wanted ?? null);
  if (text === '') return `No ad of the request has ${size}: upload one, or enter the name of an ad.`;
  const known = [...new Set(named.map(({ size: own }) => sizeName(own)))].join(', ');
  return `The ad “${text}” has ${known}, not ${size}: correct the size, or enter another ad.`;
}

const sizeName = (size: AdSize | null) => (size === null ? '' : `${size.width}×${size.height}`);

/** @returns a function that finds ads by id, lookup key, name, and name without ending, in this order. */
function finderOf(ads: readonly PlanAd[]): (text: string) => readonly PlanAd[] | undefined {
  const byId = Map.groupBy(ads, ({ id }) => id);
  const byKey = Map.groupBy(ads, ({ lookupKey }) => lookupKey);
  const byName = Map.groupBy(ads, ({ name }) => name.toLowerCase());
  const byFile = Map.groupBy(ads, ({ name }) => withoutEnding(name.toLowerCase()));
  return (text) => {
    const wanted = text.toLowerCase();
    return byId.get(wanted) ?? byKey.get(text) ?? byName.get(wanted) ?? byFile.get(withoutEnding(wanted));
  };
}

const withoutEnding = (name: string) => name.replace(/\.[a-z0-9]{2,5}$/, '');
