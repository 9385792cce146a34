import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const SRC = path.join(import.meta.dirname, '../../src');

/** Runs `code` in a process of its own, in the folder of the sources. @returns how often it loads the package. */
export async function packageLoads(name: string, code: string): Promise<number> {
  const script = `
    import { registerHooks } from 'node:module';
    let loads = 0;
    registerHooks({ resolve(name, context, next) { loads += name === '${name}' ? 1 : 0; return next(name, context); } });
    ${code}
    console.log(loads);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: SRC });
  return Number(stdout);
}
