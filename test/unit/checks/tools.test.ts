import path from 'node:path';
import { expect, test } from 'vitest';
import { clusterFolder, runTool } from '../../../scripts/tools.ts';

const SCRIPT = path.join(import.meta.dirname, '../../cluster/cluster');

test('tools are searched in the folder in which test/cluster/cluster keeps its binaries', async () => {
  const { stdout } = await runTool(SCRIPT, ['env']);
  expect(stdout).toContain(`KUBEBUILDER_ASSETS=${clusterFolder()}/bin `);
});
