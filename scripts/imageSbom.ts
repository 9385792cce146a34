/**
 * Lists the parts of an image, as CycloneDX 1.6 on standard output: Debian's packages, the npm packages, Node.
 * Runs inside the image while it is built: `node imageSbom.ts FOLDER`, where FOLDER holds node_modules and package.json.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { argv, env, stdout } from 'node:process';

interface Component {
  readonly type: 'library' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** @param status what dpkg keeps about each package (/var/lib/dpkg/status). */
export function debianComponents(status: string): Component[] {
  return status.split(/\n\n+/).flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(stanza)?.[1] ?? '';
    const [name, version] = [field('Package'), field('Version')];
    if (name === '' || !field('Status').endsWith(' installed')) return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}&distro=debian-12`;
    return [{ type: 'library', name, version, purl } as const];
  });
}

interface Installed {
  readonly version?: string | undefined;
  readonly license?: string;
  readonly integrity?: string;
}

/** @param lock npm's own list of what it installed (node_modules/.package-lock.json). */
export function npmComponents(lock: { readonly packages: Readonly<Record<string, Installed>> }): Component[] {
  return Object.entries(lock.packages).flatMap(([place, { version, license, integrity }]) => {
    const name = place.split('node_modules/').at(-1) ?? '';
    if (name === '' || version === undefined) return [];
    const sha512 = /^sha512-(\S+)$/.exec(integrity ?? '')?.[1];
    return [
      {
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        ...(license !== undefined && { licenses: [{ expression: license }] }),
        ...(sha512 !== undefined && {
          hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
        }),
      } as const,
    ];
  });
}

/** The program contains the script of a package that the image does not have (src/pages/reference/scalar.ts). */
export function scalarComponents(manifest: { readonly devDependencies: Readonly<Record<string, string>> }) {
  const name = '@scalar/fastify-api-reference';
  const version = manifest.devDependencies[name];
  return npmComponents({ packages: { [`node_modules/${name}`]: { version, license: 'MIT' } } });
}

function describe(folder: string) {
  const json = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  const { name, version, license } = json('package.json');
  const node = process.versions.node;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(Number(env['SOURCE_DATE_EPOCH'] ?? 0) * 1000).toISOString(),
      component: { type: 'application', name, version, licenses: [{ license: { id: license } }] },
    },
    components: [
      { type: 'application', name: 'node', version: node, purl: `pkg:generic/node@${node}` },
      ...debianComponents(readFileSync('/var/lib/dpkg/status', 'utf8')),
      ...npmComponents(json('node_modules/.package-lock.json')),
      ...scalarComponents(json('package.json')),
    ],
  };
}

if (import.meta.main) stdout.write(`${JSON.stringify(describe(argv[2] ?? '.'), null, 1)}\n`);
