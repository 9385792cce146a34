/** `tearsheet controller` as a process of its own. `traces.long.test.ts` has the way of a request over both processes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';

test('a controller with an invalid capture profile names the fault and exits with 2', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-processes-'));
  const database = await testDatabase();
  const env = {
    ...{
      DATABASE_URL: database.url,
      SECRETS_KEYS: TEST_KEYS,
      ARTIFACTS_URL: pathToFileURL(folder).href,
      NAMESPACE: 'n',
    },
    ...{ PUBLIC_URL: 'http://127.0.0.1:1', INTERNAL_URL: 'http://127.0.0.1:1' },
  };
  const profile = path.join(folder, 'profile.json');
  await writeFile(profile, '{"image":"","serviceAccountName":"capture","nodeselector":{}}');
  const faulty = startService(['controller'], { ...env, CAPTURE_PROFILE: profile });
  expect(await faulty.ended).toBe(2);
  expect(faulty.output()).toMatch(/profile\.json is invalid:\n {2}image: .*\n.*nodeselector/);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
