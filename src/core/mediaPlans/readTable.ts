/** Reads a table that a person pasted or uploaded: text, CSV or XLSX. Runs in a child process, because the file may be hostile. */
import { CsvError, parse } from 'csv-parse/sync';
import { readSheet, SheetNotFoundError } from 'read-excel-file/universal';
import { fromBufferPromise } from 'yauzl';
import { invalid } from '../../domain/failure.ts';
import { findHeadings, type findSiteColumn, HEADING_ROWS, PLAN_LIMITS } from '../../domain/mediaPlans.ts';
import { storable } from '../../domain/text.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** Rows of cells. Cells are trimmed, and rows and columns without content at the end are left out. */
export type Table = readonly (readonly string[])[];

/** One sheet of a workbook. */
export interface ReadSheet {
  readonly rows: Table;
  readonly name: string;
  /** The names of the sheets that were not taken. */
  readonly others: readonly string[];
}

export type FileTable = Pick<ReadSheet, 'rows'> & Partial<ReadSheet>;

const fault = (text: string) => invalid({ plan: [text] });
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

/**
 * @param text with tabs, as spreadsheets copy it, or with commas or semicolons. Spreadsheets write semicolons where
 *   numbers have decimal commas, so these become points, as in the numbers of a workbook.
 * @throws Failure (422)
 */
export function tableOfText(text: string): Table {
  const delimiter = delimiterOf(text);
  try {
    const rows: string[][] = parse(text, {
      ...{ bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: false, delimiter },
      to: PLAN_LIMITS.rows + HEADING_ROWS + 1,
      cast: (cell) => (delimiter === ';' ? cell.replace(/^(\s*\d+),(\d+\s*)$/, '$1.$2') : cell),
    });
    return trimmed(rows);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw fault(`The text is not a table: ${error.message}. Save the sheet again as CSV or XLSX.`);
  }
}

function delimiterOf(text: string): string {
  const lines = text.split('\n', HEADING_ROWS).join('\n');
  const count = (mark: string) => lines.split(mark).length;
  return ['\t', ';', ','].toSorted((one, two) => count(two) - count(one))[0] ?? ',';
}

/** @throws Failure (422) for a file that is too large, damaged, or no table. */
export async function tableOfFile(bytes: Buffer): Promise<FileTable> {
  const content = await contentOf(bytes, findHeadings);
  return typeof content === 'string' ? { rows: tableOfText(content) } : content;
}

/** Finds the row of the headings in a table, if it has one. */
type FindHeadings = typeof findHeadings | typeof findSiteColumn;

/** @returns the first sheet of an XLSX in which headings are found, or the text of any other file. @throws Failure (422) */
export async function contentOf(bytes: Buffer, find: FindHeadings): Promise<string | ReadSheet> {
  if (bytes.length > PLAN_LIMITS.bytes)
    throw fault(`The file has more than ${mebibytes(PLAN_LIMITS.bytes)}: keep only the sheet with the plan.`);
  if (bytes.subarray(0, 4).equals(OLE))
    throw fault('The file is an old Excel file (.xls), or it has a password: save it as .xlsx without a password.');
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    const sheet = await sheetOf(bytes, find);
    return { ...sheet, rows: trimmed(sheet.rows) };
  }
  const text = textOf(bytes);
  if (text === undefined || /^%PDF|^\s*<(!doctype|html)/i.test(text))
    throw fault('The file is neither CSV nor XLSX: save the plan as one of them.');
  return text;
}

/** The container of old Excel files, and of encrypted new ones. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/** @returns undefined if the bytes are no text. */
function textOf(bytes: Buffer): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const text = decoded(bytes, encoding) ?? new TextDecoder('windows-1252').decode(bytes);
  return text.includes('\0') ? undefined : text;
}

function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Excel writes CSV in the code page of its system.
  }
}

/**
 * The first sheet with headings. Without headings it is the first one with cells. Formulas are not run: their last
 * results count. The library fills the gaps between cells, which may need any memory.
 */
async function sheetOf(bytes: Buffer, find: FindHeadings): Promise<ReadSheet> {
  await requireSmall(bytes);
  const workbook = new Blob([new Uint8Array(bytes)]);
  const names = await sheetNames(workbook);
  const sheets: ReadSheet[] = [];
  for (const [index, name] of names.slice(0, PLAN_LIMITS.sheets).entries()) {
    const rows = await rowsOfSheet(workbook, index + 1);
    if (rows === undefined) continue;
    const sheet = { rows, name, others: names.toSpliced(index, 1) };
    if (find(rows) !== undefined) return sheet;
    sheets.push(sheet);
  }
  const found = sheets.find(({ rows }) => rows.length > 0) ?? sheets[0];
  if (found === undefined) throw fault(DAMAGED);
  return found;
}

/** The library names the sheets only if one is missing. */
async function sheetNames(workbook: Blob): Promise<readonly string[]> {
  try {
    await readSheet(workbook, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof SheetNotFoundError && 'sheets' in error) return [error.sheets].flat().map(String);
  }
  throw fault(DAMAGED);
}

/** @returns undefined if the sheet cannot be read, for example because it is a chart. */
async function rowsOfSheet(workbook: Blob, number: number): Promise<string[][] | undefined> {
  try {
    return (await readSheet(workbook, number)).map((row) => row.map(textOfCell));
  } catch {
    return undefined; // If no sheet can be read, the workbook is damaged.
  }
}

function textOfCell(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value === null || value === undefined ? '' : String(value);
}

const DAMAGED = 'The file is not a readable XLSX workbook: save it again as .xlsx or CSV.';

/** Unpacks everything once, because a zip may declare wrong sizes. The library that reads the sheet trusts them. @throws Failure (422) */
async function requireSmall(bytes: Buffer): Promise<void> {
  let total = 0;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) {
      total += entry.uncompressedSize;
      if (total > PLAN_LIMITS.unpackedBytes) break;
      // yauzl ends a stream that is longer than the declared size.
      const content = await zip.openReadStreamPromise(entry);
      for await (const _chunk of content);
    }
  } catch (error) {
    throw fault(`${DAMAGED} (${errorMessage(error)})`);
  }
  if (total > PLAN_LIMITS.unpackedBytes)
    throw fault(
      `The file unpacks to more than ${mebibytes(PLAN_LIMITS.unpackedBytes)}: keep only the sheet with the plan.`,
    );
}

/** @throws Failure (422) for a table over a limit. */
function trimmed(rows: readonly (readonly string[])[]): Table {
  const cells = rows.map((row) =>
    withoutEnd(
      row.map((cell) => storable(cell).trim()),
      (cell) => cell === '',
    ),
  );
  const table = withoutEnd(cells, (row) => row.length === 0);
  if (table.length === 0) throw fault('The table is empty.');
  if (table.length > PLAN_LIMITS.rows + HEADING_ROWS)
    throw fault(`The table has more than ${PLAN_LIMITS.rows.toLocaleString('en')} rows: send it in parts.`);
  const columns = Math.max(...table.map((row) => row.length));
  if (columns > PLAN_LIMITS.columns)
    throw fault(`The table has ${columns} columns, and at most ${PLAN_LIMITS.columns} are possible: delete some.`);
  const long = table.findIndex((row) => row.some((cell) => cell.length > PLAN_LIMITS.cell));
  if (long >= 0)
    throw fault(`A cell in row ${long + 1} has more than ${PLAN_LIMITS.cell.toLocaleString('en')} characters.`);
  return table;
}

function withoutEnd<T>(all: readonly T[], isEmpty: (one: T) => boolean): readonly T[] {
  return all.slice(0, all.findLastIndex((one) => !isEmpty(one)) + 1);
}
