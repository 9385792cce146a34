import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import type { ArtifactStore } from '../../../src/artifacts/store.ts';
import { readExportFailures, readExportPictures } from '../../../src/core/exports/exportContent.ts';
import { requestExport } from '../../../src/core/exports/exports.ts';
import { reviewSet } from '../../../src/core/reviews/reviews.ts';
import { readVersions } from '../../../src/core/sets/readVersions.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import type { ExportAudience, ExportOptions } from '../../../src/domain/exports.ts';
import type { SetStatus } from '../../../src/domain/states.ts';
import { chooseVersion } from '../../../src/domain/versions.ts';
import { buildExport } from '../../../src/exports/startExports.ts';
import { testDatabase } from '../../support/database.ts';
import { insertExportSet, type TestSet, type TestShot } from '../../support/exportSet.ts';
import { insertOrganization, type TestOrganization } from '../../support/insertRows.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { TEST_LOG } from '../../support/testLog.ts';

let store: Store;
let artifacts: ArtifactStore;
let organization: TestOrganization;
let folder: string;
let closeDatabase: () => Promise<void>;
beforeAll(async () => {
  const database = await testDatabase();
  closeDatabase = database.close;
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-exports-'));
  artifacts = new FolderArtifactStore(folder);
  organization = await insertOrganization(store.db);
});
afterAll(async () => {
  await store.close();
  await closeDatabase();
  await rm(folder, { recursive: true });
});

const SHOTS: TestShot[] = [{ ad: 'A' }, { ad: 'B', device: 'iphone' }, { ad: 'C', failure: 'No slot.' }];
const context = { queue: { enqueue: () => Promise.resolve() }, publicUrl: 'https://shots.example' };
const newSet = () => insertExportSet({ db: store.db, artifacts, organization }, SHOTS);
/** Takes these screenshots of a set again. */
const retake = (set: TestSet, which: readonly number[], status: SetStatus = 'approved') => {
  const shots = which.map((at) => ({ ad: SHOTS[at]?.ad ?? '', retakeOf: set.shots[at] }));
  return insertExportSet({ db: store.db, artifacts, organization }, shots, { retakeOf: set.id, status });
};
const decide = (decision: 'approved' | 'rejected') => (id: string | undefined) =>
  store.db
    .updateTable('screenshots')
    .set({ decision })
    .where('id', '=', id ?? '')
    .execute();

const [approve, reject] = [decide('approved'), decide('rejected')];

async function shownIds(set: TestSet, audience: ExportAudience): Promise<(string | undefined)[]> {
  const of = { setId: set.id, options: { audience } };
  return (await readExportPictures(store.db, of, { skip: 0 })).toSorted((a, b) => a.number - b.number).map((p) => p.id);
}

const request = (set: TestSet, audience: ExportAudience = 'organization') => {
  const choices = { frame: 'none', page_size: '16:9', pictures: 'original', time_zone: 'UTC' } as const;
  const options: ExportOptions = { format: 'zip', ...choices, failures: false, part: 1, audience };
  const queue = { enqueue: () => Promise.resolve() };
  return requestExport(store.db, { organizationId: organization.id, setId: set.id, options }, queue);
};

test('an export shows the newest picture of each screenshot, also of one that failed before', async () => {
  const set = await newSet();
  const first = await retake(set, [0, 2]);
  const second = await retake(set, [0]);
  expect(await shownIds(set, 'organization')).toEqual([second.shots[0], set.shots[1], first.shots[1]]);
  const of = { setId: set.id, options: { audience: 'organization' } } as const;
  expect(await readExportFailures(store.db, of, 10)).toEqual([]);
  expect(await shownIds(first, 'organization')).toEqual([second.shots[0], first.shots[1]]);
});

test('an export for a link to approved pictures holds no other ones', async () => {
  const set = await insertExportSet({ db: store.db, artifacts, organization }, SHOTS, { status: 'in_review' });
  const options = { audience: 'shared', approved_only: true } as const;
  const shown = async () => {
    const pictures = await readExportPictures(store.db, { setId: set.id, options }, { skip: 0 });
    return pictures.map(({ id }) => id);
  };
  expect(await shown()).toEqual([]);
  await approve(set.shots[1]);
  expect(await shown()).toEqual([set.shots[1]]);
  const retaken = await retake(set, [0]);
  expect((await shown()).toSorted()).toEqual([retaken.shots[0], set.shots[1]].toSorted());
});

test('on shared pages, only approved retakes replace a picture', async () => {
  const set = await newSet();
  const waiting = await retake(set, [0], 'in_review');
  const refused = await retake(set, [1], 'rejected');
  expect(refused.shots).toHaveLength(1);
  expect(await shownIds(set, 'organization')).toEqual([waiting.shots[0], set.shots[1]]);
  expect(await shownIds(set, 'shared')).toEqual([set.shots[0], set.shots[1]]);
  expect((await request(set, 'shared')).id).not.toBe((await request(set, 'organization')).id);
});

test('an export leaves out a rejected picture unless another version replaces it', async () => {
  const set = await newSet();
  const again = await retake(set, [0, 1]);
  await reject(again.shots[0]);
  await reject(set.shots[1]);
  expect(await shownIds(set, 'organization')).toEqual([set.shots[0], again.shots[1]]);
  await reject(set.shots[0]);
  expect(await shownIds(set, 'organization')).toEqual([again.shots[1]]);
});

// Shared pages and exports for them use the same statement; sharedPictures.test.ts has its rules.
test('exports of the organization choose the versions that its pages choose', async () => {
  const set = await newSet();
  for (const status of ['approved', 'in_review', 'rejected', 'approved', 'capturing', 'in_review'] as const) {
    const made = await retake(set, [0, 1, 2], status);
    if (status === 'approved') await reject(made.shots[1]);
    if (status === 'in_review') await approve(made.shots[2]);
  }
  const versions = await readVersions(store.db, set.id);
  const chosen = set.shots.map((own) => chooseVersion(versions.get(own) ?? [], { own })?.shown);
  const pictures = chosen.flatMap((version) =>
    version?.status === 'uploaded' && version.decision !== 'rejected' ? version.id : [],
  );
  expect(await shownIds(set, 'organization')).toEqual(pictures);
});

test('a failure whose retake a reviewer rejected is left out, as the rejected picture is', async () => {
  const set = await newSet();
  const again = await retake(set, [2]);
  await reject(again.shots[0]);
  const of = { setId: set.id, options: { audience: 'organization' } } as const;
  expect(await readExportFailures(store.db, of, 10)).toEqual([]);
  expect(await shownIds(set, 'organization')).toEqual([set.shots[0], set.shots[1]]);
});

test('an uncertain slot needs a check until a reviewer approves the picture or its set', async () => {
  const set = await insertExportSet({ db: store.db, artifacts, organization }, SHOTS);
  const warnings = JSON.stringify([{ code: 'slot_uncertain', message: 'Look at the picture.' }]);
  const record = JSON.stringify({ warnings: JSON.parse(warnings) });
  await store.db.updateTable('screenshots').set({ warnings, record }).where('set_id', '=', set.id).execute();
  const toCheck = async () => {
    const of = { setId: set.id, options: { audience: 'organization' } } as const;
    const pictures = await readExportPictures(store.db, of, { skip: 0 });
    return { pictures: pictures.map((one) => one.slot_uncertain), file: (await request(set)).id };
  };
  const byItself = await toCheck();
  expect(byItself.pictures).toEqual([true, true]);
  const decideSet = (action: 'approve' | 'reopen') =>
    store.db
      .transaction()
      .execute((tx) =>
        reviewSet(
          tx,
          { action, organizationId: organization.id, setId: set.id, notes: null, actor: OPERATOR },
          context,
        ),
      );
  await decideSet('reopen');
  await approve(set.shots[0]);
  const one = await toCheck();
  expect(one.pictures).toEqual([false, true]);
  await decideSet('approve');
  const all = await toCheck();
  expect(all.pictures).toEqual([false, false]);
  expect(new Set([byItself.file, one.file, all.file]).size).toBe(3);
});

test('a retake gives the export another file, whose records name the original', async () => {
  const set = await newSet();
  const before = await request(set);
  const again = await retake(set, [0]);
  const row = await request(set);
  expect(row.id).not.toBe(before.id);
  const built = await buildExport(row, { db: store.db, artifacts, log: TEST_LOG, onPicture: () => Promise.resolve() });
  const zip = await fromBufferPromise(await buffer(built));
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8'));
  }
  const record = JSON.parse(entries.get('records/001-news.example-desktop-A.json') ?? '');
  expect(record).toMatchObject({
    screenshot_id: again.shots[0],
    record: { sha256: again.sums[0] },
    original: { screenshot_id: set.shots[0], record: { sha256: set.sums[0] } },
  });
  const manifest = entries.get('manifest.csv') ?? '';
  expect(manifest).toContain(again.sums[0]);
  expect(manifest).not.toContain(set.sums[0]);
  expect(manifest).toContain(`"${set.shots[0]}"`);
});
