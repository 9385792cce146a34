/** Several programs write docs/performance.md. The part of each program is the text from its mark to the next mark. */
const mark = (program: string) => `<!-- What follows is written by ${program}. -->`;
const MARKED = /(?=<!-- What follows is written by [^ ]+\. -->)/;

/** @returns the report with `text` as the program's part. It replaces the older part, or is added at the end. */
export function withSection(report: string, program: string, text: string): string {
  const own = `${mark(program)}\n\n${text.trim()}\n`;
  const [head = '', ...parts] = report.split(MARKED);
  const at = parts.findIndex((part) => part.startsWith(mark(program)));
  const others = parts.map((part, index) => (index === at ? own : part));
  return [head, ...others, ...(at < 0 ? [own] : [])]
    .map((part) => part.trimEnd())
    .join('\n\n')
    .concat('\n');
}

/** @returns the report with a new beginning and unchanged parts of the programs. */
export function withHead(report: string, head: string): string {
  const [, ...parts] = report.split(MARKED);
  return [head, ...parts]
    .map((part) => part.trimEnd())
    .join('\n\n')
    .concat('\n');
}
