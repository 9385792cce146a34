/** CSV that spreadsheets read as text: with a byte order mark, CRLF, and without formulas. */

const BYTE_ORDER_MARK = '\uFEFF';
/** A cell that starts with one of these may run as a formula. Spreadsheets skip white space before them. */
const FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  // A number is never a formula, also where it is negative.
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll('\0', '');
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
