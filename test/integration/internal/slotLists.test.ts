import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import { openAttempt, ProtocolClient } from '../../../src/capture/program/protocolClient.ts';
import { loadSlotLists } from '../../../src/capture/program/slotLists.ts';
import { fixedToken } from '../../../src/capture/program/tokenSource.ts';
import type { Attempt } from '../../../src/contract/captureProtocol.ts';
import { sha256Of } from '../../../src/lib/sha256.ts';
import { BUNDLE_FORMAT, compileLists } from '../../../src/slotLists/compile.ts';
import { saveBundle } from '../../../src/store/slotLists/slotLists.ts';
import { admitWaiting } from '../../../src/workflow/admission.ts';
import { insertAd, insertOrganization, insertSet } from '../../support/insertRows.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';
import { TEST_LOG } from '../../support/testLog.ts';

const LIMITS = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };
const timing = { retryForMs: 0, firstDelayMs: 1 };
const { signal } = new AbortController();

let internalApi: TestInternalApi;
let client: ConstructorParameters<typeof ProtocolClient>[0];
const warnings: string[] = [];
const log = { ...TEST_LOG, warn: (_fields: object, message: string) => void warnings.push(message) };

beforeEach(async () => {
  warnings.length = 0;
  internalApi = await startTestInternalApi();
  const { store, secret, internalUrl } = internalApi;
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  await insertSet(store.db, organization, { pictures: [{ adId }] });
  const [admitted] = (await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS))).admitted;
  const jobId = admitted?.jobId ?? '';
  const token = fixedToken(issueJobToken(secret, jobId, new Date(Date.now() + 3_600_000)));
  client = { internalUrl, jobId, token, timing };
});
afterEach(() => internalApi.close());

async function save(text: string, format = BUNDLE_FORMAT) {
  const content = await compileLists([{ source: 'ours.txt', text }]);
  await saveBundle(internalApi.store.db, { format, input: sha256Of(content), content, sha256: sha256Of(content) });
}

const open = async () => (await openAttempt(client, { index: 0, pod: 'pod-1' }, signal)).attempt;
const load = (attempt: Attempt) =>
  loadSlotLists(attempt, { client: new ProtocolClient(client, { index: 0, attempt: 1 }), log, signal });

test('a capture loads the compiled lists that its attempt names', async () => {
  await save('! Title: Ours\n! Version: 7\n##.box\n');
  const lists = await load(await open());
  expect(lists?.versions).toMatchObject([{ title: 'Ours', version: '7', source: 'ours.txt' }]);
  expect(warnings).toEqual([]);
});

test('without lists the attempt names none', async () => {
  const attempt = await open();
  expect(attempt.slot_lists).toBeNull();
  expect(await load(attempt)).toBeUndefined();
});

test('a capture of another release works without the lists and logs it', async () => {
  await save('##.box\n', '0-1');
  expect(await load(await open())).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('compiled by another release')]);
});

test('a capture works without lists that were replaced before it loaded them', async () => {
  await save('##.box\n');
  const attempt = await open();
  await save('##.other\n');
  expect(await load(attempt)).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('could not be loaded')]);
});

test('the answer has an ETag, and a caller without a token gets nothing', async () => {
  await save('##.box\n');
  const { slot_lists: named } = await open();
  const url = `${client.internalUrl}/internal/v2/jobs/${client.jobId}/slot-lists/${named?.sha256}`;
  const headers = { authorization: `Bearer ${await client.token.read()}` };
  const answer = await fetch(url, { headers });
  expect([answer.status, answer.headers.get('etag')]).toEqual([200, `"${named?.sha256}"`]);
  // Without its own header, fetch adds one that asks for a full answer.
  const conditional = { 'if-none-match': `"${named?.sha256}"`, 'cache-control': 'max-age=0' };
  const again = await fetch(url, { headers: { ...headers, ...conditional } });
  expect(again.status).toBe(304);
  expect((await fetch(url)).status).toBe(401);
});
