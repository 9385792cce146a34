import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { clusterFolder, runTool } from '../../../scripts/tools.ts';
import { eventually } from '../../support/eventually.ts';
import { required } from '../../support/required.ts';

const SCRIPT = path.join(import.meta.dirname, '../../cluster/cluster');

test('tools are searched in the folder in which test/cluster/cluster keeps its binaries', async () => {
  const { stdout } = await runTool(SCRIPT, ['env']);
  expect(stdout).toContain(`KUBEBUILDER_ASSETS=${clusterFolder()}/bin `);
});

describe('a build that is killed', () => {
  /** A build of `sleep`, under the lock of builds; its output names the process that builds. */
  const BUILD = `
    . "$1/console.sh"; dir=$2 log=$2
    locked build step 300 building bash -c 'echo $$ > "$0/pid.part"; mv "$0/pid.part" "$0/pid"; sleep 300' "$2"`;

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'a build that ends by %s, with its process group, leaves no process and no lock',
    async (signal) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-build-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const pidFile = path.join(folder, 'pid');
      const args = ['-euc', BUILD, 'build', path.join(path.dirname(SCRIPT), 'lib'), folder];
      const build = spawn('bash', args, { detached: true, stdio: 'ignore' });
      const ended = once(build, 'exit');
      await eventually(() => expect(existsSync(pidFile)).toBe(true));
      process.kill(-required(build.pid), signal);
      await ended;
      const lock = path.join(folder, 'build.lock');
      expect(await runTool('flock', ['-w', '30', lock, 'true'])).toMatchObject({ code: 0 });
      const state = ['-o', 'stat=', '-p', readFileSync(pidFile, 'utf8').trim()];
      // Gone, or a zombie that nobody has reaped yet.
      await eventually(async () => expect((await runTool('ps', state)).stdout).toMatch(/^(Z.*)?$/));
    },
  );
});
