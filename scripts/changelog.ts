/** Reads CHANGELOG.md, which has the shape of "Keep a Changelog". */

export interface ChangelogSection {
  /** ISO date; undefined for a section without one. */
  readonly date: string | undefined;
  /** Trimmed; empty for a section without entries. */
  readonly text: string;
}

/** @param name a version, or `Unreleased`. @returns undefined where there is no such section. */
export function changelogSection(changelog: string, name: string): ChangelogSection | undefined {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`## [${name}]`));
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const body = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  return { date: /\] - (\d{4}-\d{2}-\d{2})$/.exec(lines[start] ?? '')?.[1], text: body.join('\n').trim() };
}
