import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { debianComponents, npmComponents, scalarComponents } from '../../../scripts/imageSbom.ts';

const STATUS = `Package: tini
Status: install ok installed
Priority: optional
Architecture: amd64
Version: 0.19.0-1+b3
Description: tiny init
 that is all

Package: gone
Status: deinstall ok config-files
Architecture: all
Version: 1:2
`;

test('The SBOM lists installed Debian packages with a package URL that scanners know', () => {
  expect(debianComponents(STATUS)).toEqual([
    {
      ...{ type: 'library', name: 'tini', version: '0.19.0-1+b3' },
      purl: 'pkg:deb/debian/tini@0.19.0-1%2Bb3?arch=amd64&distro=debian-12',
    },
  ]);
});

test('The SBOM lists npm packages, also nested ones, with license and checksum', () => {
  const packages = {
    '': { version: '9.9.9' },
    'node_modules/@scope/one': { version: '1.2.3', license: 'MIT', integrity: 'sha512-q80=' },
    'node_modules/@scope/one/node_modules/two': { version: '0.1.0' },
  };
  expect(npmComponents({ packages })).toEqual([
    {
      ...{ type: 'library', name: '@scope/one', version: '1.2.3', purl: 'pkg:npm/%40scope/one@1.2.3' },
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: 'abcd' }],
    },
    { type: 'library', name: 'two', version: '0.1.0', purl: 'pkg:npm/two@0.1.0' },
  ]);
});

test('The SBOM lists the package whose script the program contains', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const purl = expect.stringMatching(/^pkg:npm\/%40scalar\/fastify-api-reference@\d+\.\d+\.\d+$/);
  expect(scalarComponents(manifest)).toMatchObject([{ purl }]);
});
