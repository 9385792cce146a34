/** Runs schemathesis with all checks against a real API: does the service do what the OpenAPI document says? */
import { spawn } from 'node:child_process';
import { appendFile, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOpenApi } from '../../src/api/public/openApi.ts';
import { runSample } from '../integration/api/public/runSample.ts';
import { OPERATIONS, type SampleIds, sampleIds } from '../integration/api/public/sampleIds.ts';
import { type NamedOperation, sampleRequest } from '../support/operations.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../support/publicApi.ts';
import { PYTHON_TOOLS_MS, pythonTools } from '../support/pythonTools.ts';

/** About a minute on two cores that have nothing else to do. */
const RUN_MS = 25 * 60_000;
const artifacts = memoryArtifacts(new Map());
let api: TestApi;
let folder: string;

beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 0 });
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-schemathesis-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await api.close();
});

/** Ids of objects that exist, for the operations that name one in their path. */
async function knownIds(): Promise<string> {
  const run = async (named: NamedOperation, ids: SampleIds) => {
    const { body } = await runSample(api, sampleRequest(named), ids);
    return body === '' ? undefined : JSON.parse(body);
  };
  let text = '';
  for (const named of OPERATIONS) {
    const names = [...named.path.matchAll(/\{([a-z_]*id)\}/g)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    const ids = Object.values(await sampleIds({ api, artifacts, run }, named));
    text += operationConfig(named.operation.operationId ?? '', names, ids);
  }
  return text;
}

function operationConfig(operationId: string, names: readonly string[], ids: readonly string[]): string {
  const dictionaries = names.map((name, i) => `[dictionaries.${operationId}_${name}]\nvalues = ["${ids[i]}"]\n`);
  const bound = names.map((name) => `"path.${name}" = { dictionary = "${operationId}_${name}", probability = 0.7 }\n`);
  const head = `[[operations]]\ninclude-operation-id = "${operationId}"\n[operations.parameters]\n`;
  return `\n${dictionaries.join('')}${head}${bound.join('')}`;
}

/** @returns the exit code and all that it printed. */
function runSchemathesis(tools: string): Promise<{ code: number | null; output: string }> {
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: `${tools}:${folder}`,
    PYTHONDONTWRITEBYTECODE: '1',
    TEARSHEET_URL: api.url,
    TEARSHEET_KEY: api.organization.api_key,
    OWN_KEY_ID: /^ts_live_(.{8})_/.exec(api.organization.api_key)?.[1],
  };
  const args = ['-m', 'schemathesis.cli', '--config-file', 'schemathesis.toml', 'run', 'openapi.json'];
  const child = spawn('python3', [...args, '--checks', 'all'], { cwd: folder, env, timeout: RUN_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

test('the service does what the OpenAPI document says', { timeout: RUN_MS + PYTHON_TOOLS_MS }, async ({ skip }) => {
  const tools = await pythonTools(skip);
  for (const name of ['hooks.py', 'schemathesis.toml'])
    await copyFile(path.join(import.meta.dirname, name), path.join(folder, name));
  await appendFile(path.join(folder, 'schemathesis.toml'), await knownIds());
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(buildOpenApi()));
  const { code, output } = await runSchemathesis(tools);
  expect(output).toMatch(/No issues found/);
  expect(code).toBe(0);
});
