/** A build stores scripts beside the compiled program, which has neither esbuild nor the package of Scalar. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const text = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

test('make build and the image store the script of the API reference beside the program', () => {
  for (const build of ['scripts/compile.sh', 'Dockerfile'])
    expect(text(build)).toContain('scripts/bundlePageScripts.ts');
  const dist = mkdtempSync(path.join(tmpdir(), 'tearsheet-dist-'));
  try {
    for (const folder of ['pages/assets', 'capture/page/inPage'])
      mkdirSync(path.join(dist, folder), { recursive: true });
    execFileSync(process.execPath, ['scripts/bundlePageScripts.ts', dist], { cwd: ROOT, timeout: 60_000 });
    const script = gunzipSync(readFileSync(path.join(dist, 'pages/assets/scalar.js.gz'))).toString();
    expect(script.length).toBeGreaterThan(1_000_000);
    expect(script).toContain('createApiReference');
  } finally {
    rmSync(dist, { recursive: true });
  }
});
