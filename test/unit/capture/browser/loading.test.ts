import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SRC = path.join(import.meta.dirname, '../../../../src');

/** @returns how often `code` loads Playwright. */
async function loadsOf(code: string): Promise<number> {
  const script = `
    import { registerHooks } from 'node:module';
    let loads = 0;
    registerHooks({ resolve(name, context, next) { loads += name === 'playwright-core' ? 1 : 0; return next(name, context); } });
    ${code}
    console.log(loads);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: SRC });
  return Number(stdout);
}

test('a process loads Playwright, which takes 75 MB, only when it starts a browser', async () => {
  const services = "await import('./commands/apiCommand.ts'); await import('./commands/controllerCommand.ts');";
  expect(await loadsOf(`${services} await import('./capture/engine/engine.ts');`)).toBe(0);
  const start = "const { startBrowser } = await import('./capture/browser/browserProcess.ts');";
  const fails = "await startBrowser({ chromiumPath: '/no/such/browser' }, { flags: [] }).catch(() => undefined);";
  expect(await loadsOf(start + fails)).toBe(1);
}, 30_000);
