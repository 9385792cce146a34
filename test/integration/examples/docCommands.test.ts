/** Runs each curl command of the pages for integrators as it is there, against a real API. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertExportSet } from '../../support/exportSet.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { zipOf } from '../../support/zips.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const PAGES = ['README.md', 'docs/api.md', 'docs/webhooks.md'];
const run = promisify(execFile);
const artifacts = memoryArtifacts(new Map());

let api: TestApi;
let folder: string;
let setId: string;
let campaignId: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-commands-'));
  writeFileSync(path.join(folder, 'banner_300x250.zip'), await zipOf({ 'index.html': '<p>banner' }));
  writeFileSync(path.join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  api = await startPublicApi({ artifacts });
  const { id } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const ad = await api.post('ads', { campaign: { name: 'A' }, ad: { media: { type: 'html_tag', content: '<p>x' } } });
  campaignId = ad.json.campaign_id;
  const organization = { id, slug: 'acme', campaignId };
  setId = (await insertExportSet({ db: api.store.db, artifacts, organization }, [{}])).id;
}, 900_000);
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Command {
  readonly page: string;
  readonly text: string;
}

/** @returns the commands of a page: from `curl` to the end of the block or the next command, without the answer below it. */
function commandsOf(page: string): Command[] {
  const blocks = readFileSync(path.join(ROOT, page), 'utf8').matchAll(
    /\n```sh\n(.*?)\n```|\n\n((?: {4}[^\n]*\n|\n(?= {4}))+)/gs,
  );
  return [...blocks].flatMap(([, fenced, indented]) => {
    const [text = ''] = (fenced ?? (indented ?? '').replaceAll(/^ {4}/gm, '')).split('\n\n');
    if (!text.startsWith('curl ')) return [];
    return text
      .split(/\n(?=curl )/)
      .map((command) => ({ page, text: command.replaceAll(/^\{"type".*$/gm, '').trim() }));
  });
}

const COMMANDS = PAGES.flatMap(commandsOf);

test('every page for integrators with commands is read', () => {
  expect(new Set(COMMANDS.map(({ page }) => page))).toEqual(new Set(PAGES));
});

test.each(COMMANDS)('a command of $page works: $text', { timeout: 120_000 }, async ({ text }) => {
  const local = text.replace('http://127.0.0.1:8080', api.url).replace('/orgs/demo/', '/orgs/acme/');
  const script = `curl() { command curl --fail-with-body --max-time 60 "$@"; }\n${local}\n`;
  const env = {
    PATH: process.env['PATH'],
    ...{
      TEARSHEET_URL: api.url,
      TEARSHEET_ORG: 'acme',
      KEY: api.organization.api_key,
      SET: setId,
      CAMPAIGN: campaignId,
    },
  };
  const { stdout } = await run('sh', ['-euc', script], { cwd: folder, env });
  expect(stdout).not.toContain('"status":"failure"');
  expect(stdout).not.toContain('request_warnings');
});
