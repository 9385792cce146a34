/** Runs the sample request of each operation of the reference, in a shell, against a real API. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NamedOperation } from '../../../../src/api/pages/reference/document.ts';
import { sampleRequest } from '../../../../src/api/pages/reference/sampleRequest.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { OPERATIONS, type SampleIds, sampleIds } from './sampleIds.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
});
afterAll(() => api.close());

interface Ran {
  readonly status: number;
  readonly body: string;
}

/** Curl with the status of the answer as its last line. */
const CURL = 'curl() { command curl --silent --show-error --max-time 120 --write-out "\\n%{http_code}" "$@"; }';

function runInShell(command: string, ids: SampleIds): Promise<Ran> {
  const { api_key: KEY } = api.organization;
  const env = { PATH: process.env['PATH'] ?? '', TEARSHEET: api.url, ORGANIZATION: 'acme', KEY, ...ids };
  return new Promise((resolve, reject) => {
    execFile('sh', ['-u', '-c', `${CURL}\n${command}`], { env, timeout: 150_000 }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`The sample failed: ${stderr || error.message}`));
      const end = stdout.lastIndexOf('\n');
      resolve({ status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) });
    });
  });
}

async function run(named: NamedOperation, ids: SampleIds) {
  const { status, body } = await runInShell(sampleRequest(named), ids);
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
