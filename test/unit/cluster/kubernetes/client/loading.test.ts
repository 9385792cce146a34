import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SRC = path.join(import.meta.dirname, '../../../../../src');

/** @returns how often `code` loads the client library. */
async function loadsOf(code: string): Promise<number> {
  const script = `
    import { registerHooks } from 'node:module';
    let loads = 0;
    registerHooks({ resolve(name, context, next) { loads += name === '@kubernetes/client-node' ? 1 : 0; return next(name, context); } });
    ${code}
    console.log(loads);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: SRC });
  return Number(stdout);
}

test('a process loads the client library, which takes 80 MiB, only when it connects to a cluster', async () => {
  expect(
    await loadsOf("await import('./commands/apiCommand.ts'); await import('./commands/controllerCommand.ts');"),
  ).toBe(0);
  const connect = "const { connect } = await import('./cluster/kubernetes/client/connection.ts'); await connect({});";
  expect(await loadsOf(connect)).toBe(1);
}, 30_000);
