/** Reads a table that a person pasted or uploaded: text, CSV or XLSX. Runs in a child process, because the file may be hostile. */
import { CsvError, parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/universal';
import { fromBufferPromise } from 'yauzl';
import { invalid } from '../../domain/failure.ts';
import { HEADING_ROWS, PLAN_LIMITS } from '../../domain/mediaPlans.ts';
import { storable } from '../../domain/text.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** Rows of cells. Cells are trimmed, and rows and columns without content at the end are left out. */
export type Table = readonly (readonly string[])[];

const fault = (text: string) => invalid({ plan: [text] });
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

/** @param text with tabs, as spreadsheets copy it, or with commas or semicolons. @throws Failure (422) */
export function tableOfText(text: string): Table {
  try {
    const rows: string[][] = parse(text, {
      ...{ bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: false },
      delimiter: delimiterOf(text),
      to: PLAN_LIMITS.rows + HEADING_ROWS + 1,
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
export async function tableOfFile(bytes: Buffer): Promise<Table> {
  const content = await contentOf(bytes);
  return typeof content === 'string' ? tableOfText(content) : content;
}

/** @returns the table of an XLSX, or the text of any other file. @throws Failure (422) */
export async function contentOf(bytes: Buffer): Promise<string | Table> {
  if (bytes.length > PLAN_LIMITS.bytes)
    throw fault(`The file has more than ${mebibytes(PLAN_LIMITS.bytes)}: keep only the sheet with the plan.`);
  if (bytes.subarray(0, 4).equals(OLE))
    throw fault('The file is an old Excel file (.xls), or it has a password: save it as .xlsx without a password.');
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return trimmed(await sheetOf(bytes));
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

/** The first sheet. Formulas are not run: their last results count. The library fills the gaps between cells, which may need any memory. */
async function sheetOf(bytes: Buffer): Promise<string[][]> {
  await requireSmall(bytes);
  try {
    const rows = await readSheet(new Blob([new Uint8Array(bytes)]), 1);
    return rows.map((row) => row.map(textOfCell));
  } catch {
    throw fault(DAMAGED);
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
