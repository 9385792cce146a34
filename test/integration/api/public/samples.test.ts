/** Runs the sample request of each operation of the reference, in a shell, against a real API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NamedOperation, sampleRequest } from '../../../support/operations.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { runSample } from './runSample.ts';
import { OPERATIONS, type SampleIds, sampleIds } from './sampleIds.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
});
afterAll(() => api.close());

async function run(named: NamedOperation, ids: SampleIds) {
  const { status, body } = await runSample(api, sampleRequest(named), ids);
  if (status >= 400) throw new Error(`${named.method} ${named.path} answered ${status}: ${body}`);
  expect(Object.keys(named.operation.responses)).toContain(String(status));
  return body === '' ? undefined : JSON.parse(body);
}

test.each(OPERATIONS)('the sample request of $method $path succeeds', async (named) => {
  await run(named, await sampleIds({ api, artifacts, run }, named));
});

test('each operation with a body has an example', () => {
  const without = OPERATIONS.filter(({ operation: { requestBody } }) => {
    if (requestBody === undefined) return false;
    return Object.values(requestBody.content).every(({ example }) => example === undefined);
  });
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
