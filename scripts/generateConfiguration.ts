import { SETTINGS } from '../src/config.ts';

const HEAD = `# Configuration

Settings come from the environment; flags of a command win over them. A command that cannot work with what it finds says
everything that is wrong at once and exits with 2. This page is generated from \`src/config.ts\`.
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

/** docs/configuration.md, from src/config.ts. */
export function generateConfiguration(): string {
  return [HEAD, ...groups.map(table)].join('\n');
}
