import { SETTINGS } from '../src/config.ts';

const HEAD = `# Configuration

Settings come from the environment. Flags of a command override them. A command with invalid settings lists all faults
and exits with 2. \`make generate\` writes this page from \`src/config.ts\`.
`;

interface Row {
  readonly group: string;
  readonly description: string;
  readonly fallback?: string;
}

const rows: readonly (readonly [string, Row])[] = Object.entries(SETTINGS);
const groups = [...new Set(rows.map(([, row]) => row.group))];

function table(group: string): string {
  const lines = rows
    .filter(([, row]) => row.group === group)
    .map(
      ([name, { fallback, description }]) =>
        `| \`${name}\` | ${fallback ? `\`${fallback}\`` : 'unset'} | ${description.replaceAll('|', '\\|')} |`,
    );
  return [`## ${group}`, '', '| setting | default | meaning |', '|---|---|---|', ...lines, ''].join('\n');
}

/** @returns docs/configuration.md, made from src/config.ts. */
export function generateConfiguration(): string {
  return [HEAD, ...groups.map(table)].join('\n');
}
