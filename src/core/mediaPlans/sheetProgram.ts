/** A program that reads a workbook from its input, and writes the rows of the first sheet as JSON. */
import { buffer } from 'node:stream/consumers';
import { readSheet } from 'read-excel-file/universal';

function textOfCell(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value === null || value === undefined ? '' : String(value);
}

const bytes = new Uint8Array(await buffer(process.stdin));
const rows = await readSheet(new Blob([bytes]), 1);
process.stdout.write(JSON.stringify(rows.map((row) => row.map(textOfCell))));
