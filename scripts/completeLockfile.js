// Adds the optional platform packages that a registry mirror did not offer while the lockfile was written.
// npm leaves them out of the lockfile, and `npm ci` then refuses it. The entries carry no integrity, because
// nothing was fetched. npm skips them wherever `os` and `cpu` do not fit. Run after each `npm install NAME`.
import { readFileSync, writeFileSync } from 'node:fs';

const OSES = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
};
const CPUS = {
  arm: 'arm',
  arm64: 'arm64',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  x64: 'x64',
};

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
let added = 0;
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined) continue;
    const words = name.split(/[/-]/);
    const os = words.map((word) => OSES[word]).find(Boolean);
    const cpu = words.map((word) => CPUS[word]).find(Boolean);
    if (os === undefined)
      throw new Error(`${name} is missing from the lockfile and its name tells no platform: add it by hand`);
    const libc = words.includes('musl') ? ['musl'] : undefined;
    lock.packages[key] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      ...(parent.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      os: [os],
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} optional platform packages added to package-lock.json`);
