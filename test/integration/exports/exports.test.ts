import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import type { ArtifactStore } from '../../../src/artifacts/store.ts';
import {
  type ExportRow,
  failExport,
  findExport,
  saveExportProgress,
  startExportAttempt,
} from '../../../src/core/exports/exportQueries.ts';
import { requestExport } from '../../../src/core/exports/exports.ts';
import { saveBranding } from '../../../src/core/organizations/branding.ts';
import { OLD_ROWS } from '../../../src/core/removal/oldRows.ts';
import { sweepFiles } from '../../../src/core/removal/removedFiles.ts';
import { insertImages } from '../../../src/core/sets/images.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../src/db/queue.ts';
import { DEFAULT_BRANDING } from '../../../src/domain/branding.ts';
import type { ExportOptions } from '../../../src/domain/exports.ts';
import { buildExport, startExports } from '../../../src/exports/startExports.ts';
import { sha256Of } from '../../../src/lib/sha256.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAnimation, insertExportSet, type TestShot } from '../../support/exportSet.ts';
import { insertOrganization, type TestOrganization } from '../../support/insertRows.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { createTestLog, expectLoggedErrors, type LogLine } from '../../support/testLog.ts';

const OPTIONS: ExportOptions = {
  format: 'zip',
  frame: 'none',
  page_size: '16:9',
  pictures: 'standard',
  time_zone: 'UTC',
  failures: false,
  part: 1,
  audience: 'organization',
};
const ARABIC = 'حملة الربيع';
const SHOTS: TestShot[] = [
  { ad: '=HYPERLINK("https://evil.example")' },
  { ad: 'Film 😀', markerMs: 0 },
  { ad: 'Film 😀', markerMs: 2_500 },
  { ad: ARABIC, device: 'iphone' },
  { ad: 'Spring & <Summer>', site: 'https://blog.example/' },
  { ad: 'Late', failure: 'An internal reason.' },
];

let store: Store;
let queue: Queue;
let artifacts: ArtifactStore;
let organization: TestOrganization;
let folder: string;
let closeDatabase: () => Promise<void>;
const logged: LogLine[] = [];

beforeAll(async () => {
  const database = await testDatabase();
  closeDatabase = database.close;
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-exports-'));
  artifacts = new FolderArtifactStore(folder);
  organization = await insertOrganization(store.db);
  await startExports({ store, queue, artifacts, log: createTestLog((line) => logged.push(line)) });
});
afterAll(async () => {
  await queue.stop({ timeoutMs: 5_000 });
  await store.close();
  await closeDatabase();
  await rm(folder, { recursive: true });
});

const newSet = (shots = SHOTS) => insertExportSet({ db: store.db, artifacts, organization }, shots);
const request = (setId: string, options: Partial<ExportOptions> = {}) =>
  requestExport(store.db, { organizationId: organization.id, setId, options: { ...OPTIONS, ...options } }, queue);

async function ready(id: string): Promise<ExportRow & { file: Buffer }> {
  let row: ExportRow | undefined;
  await eventually(async () => {
    row = await findExport(store.db, { id });
    expect(row?.status).toBe('ready');
  });
  if (row?.artifact_key == null) throw new Error('The export has no file.');
  const { bytes } = await artifacts.getStream(row.artifact_key);
  return { ...row, file: await buffer(bytes) };
}

async function entriesOf(file: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(file);
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return entries;
}

test('a ZIP holds animations, and the GIF takes the place of the picture on a slide without a frame', async () => {
  const set = await newSet([{ ad: 'Still' }, { ad: 'Moving' }]);
  const { webp, gif } = await insertAnimation({ db: store.db, artifacts, organization }, set.shots[1]!);
  const entries = await entriesOf((await ready((await request(set.id)).id)).file);
  const names = ['webp', 'gif'].map((format) => `animations/002-news.example-desktop-Moving.${format}`);
  expect([...entries.keys()].filter((name) => name.startsWith('animations/'))).toEqual(names);
  expect(names.map((name) => entries.get(name))).toEqual([webp, gif]);
  expect(entries.get('manifest.csv')?.toString()).toContain(names.map((name) => `"${name}"`).join(','));
  const media = async (frame: 'none' | 'browser') => {
    const { file } = await ready((await request(set.id, { format: 'pptx', frame })).id);
    return [...(await entriesOf(file))].filter(([name]) => name.startsWith('ppt/media/'));
  };
  const moving = (await media('none')).filter(([name]) => name.endsWith('.gif'));
  expect(moving.map(([, bytes]) => bytes)).toEqual([gif]);
  expect((await media('browser')).filter(([name]) => name.endsWith('.gif'))).toEqual([]);
});

/** How the metadata of a picture say that it was put together. */
const COMPOSITE = 'digitalsourcetype/composite';

test('a ZIP holds the original pictures, their records and a manifest without formulas', async () => {
  const set = await newSet();
  const built = await ready((await request(set.id)).id);
  expect(built).toMatchObject({ done: 5, total: 5, sha256: sha256Of(built.file), bytes: String(built.file.length) });
  const entries = await entriesOf(built.file);
  const pictures = [...entries].filter(([name]) => name.startsWith('pictures/'));
  expect(pictures.map(([, bytes]) => sha256Of(bytes))).toEqual(set.sums);
  expect(pictures.map(([name]) => name)[2]).toMatch(/^pictures\/003-news\.example-desktop-Film-2\.5s\.png$/);
  expect(pictures.map(([name]) => name)).toEqual(pictures.map(([name]) => name).toSorted());
  const manifest = entries.get('manifest.csv')?.toString('utf8') ?? '';
  expect(manifest.startsWith('\uFEFF')).toBe(true);
  expect(manifest).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  expect(manifest).toContain(ARABIC);
  for (const sum of set.sums) expect(manifest).toContain(sum);
  expect([...entries.values()].join('')).not.toContain('internal reason');
  const record = JSON.parse(
    entries.get('records/001-news.example-desktop-HYPERLINK-https-evil.example.json')?.toString() ?? '',
  );
  expect(record.record).toMatchObject({ kind: 'placement_preview', final_url: 'https://news.example/page' });
});

test('a ZIP with frames holds the framed pictures beside the originals, with their SHA-256 in the manifest', async () => {
  const set = await newSet([SHOTS[0] ?? {}, { device: 'iphone' }]);
  const entries = await entriesOf((await ready((await request(set.id, { frame: 'device' })).id)).file);
  const framed = [...entries].filter(([name]) => name.startsWith('framed/'));
  expect(framed).toHaveLength(2);
  const manifest = entries.get('manifest.csv')?.toString('utf8') ?? '';
  for (const [name, bytes] of framed) {
    expect(manifest).toContain(name);
    expect(manifest).toContain(sha256Of(bytes));
    expect((await sharp(bytes).metadata()).xmp?.toString()).toContain(COMPOSITE);
  }
});

test('a PPTX has a cover, tables, one slide for each picture and one for the markers of one ad', async () => {
  await saveBranding(store.db, organization.id, {
    ...DEFAULT_BRANDING,
    brand_name: 'Acme & Sons',
    footer_text: 'For you',
  });
  const set = await newSet();
  const logo = await sharp({ create: { width: 40, height: 10, channels: 3, background: '#0a7d5c' } })
    .png()
    .toBuffer();
  await artifacts.put('logos/client.png', logo, 'image/png');
  const image = {
    organizationId: organization.id,
    key: 'logos/client.png',
    sha256: sha256Of(logo),
    bytes: logo.length,
  };
  const [logo_token = ''] = await insertImages(store.db, [{ ...image, width: 40, height: 10 }]);
  await store.db.updateTable('campaigns').set({ logo_token }).where('id', '=', organization.campaignId).execute();
  const built = await ready((await request(set.id, { format: 'pptx', failures: true })).id);
  await store.db.updateTable('campaigns').set({ logo_token: null }).execute();
  const entries = await entriesOf(built.file);
  const slides = [...entries]
    .filter(([name]) => /^ppt\/slides\/slide\d+\.xml$/.test(name))
    .map(([, xml]) => xml.toString());
  expect(slides).toHaveLength(8);
  const pictures = slides.map((xml) => xml.split('<p:pic>').length - 1);
  expect(pictures).toEqual([2, 0, 1, 2, 1, 1, 0, 0]);
  expect(slides[0]).toContain('Acme &amp; Sons');
  expect(slides[1]).toContain('<a:tbl>');
  expect(slides[4]).toContain(ARABIC);
  expect(slides[5]).toContain('Spring &amp; &lt;Summer&gt;');
  expect(slides[5]).toContain('21 Nov 2026, 09:34 UTC');
  expect(slides[6]).toContain('An internal reason.');
  const media = [...entries].filter(([name]) => name.startsWith('ppt/media/'));
  expect(media).toHaveLength(7);

  for (const [, bytes] of media.filter(([, each]) => !each.equals(logo))) {
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(bytes.includes(COMPOSITE)).toBe(true);
  }
  expect(entries.get('ppt/presentation.xml')?.toString()).toContain('name="blog.example"');
});

/** @param png undefined: the file is missing. */
async function insertPage(setId: string, seqs: number[], png: Buffer | undefined): Promise<void> {
  const token = randomUUID();
  const artifact_key = `screenshots/${token}-page.png`;
  if (png !== undefined) await artifacts.put(artifact_key, png, 'image/png');
  const facts = { width: 30, height: 90, bytes: png?.length ?? 0, sha256: sha256Of(png ?? Buffer.alloc(0)) };
  await store.db
    .insertInto('images')
    .values({ token, organization_id: organization.id, artifact_key, ...facts })
    .execute();
  const shown = store.db.updateTable('screenshots').set({ page_token: token });
  await shown.where('set_id', '=', setId).where('seq', 'in', seqs).execute();
}

test('a list of failures has the pages, each once in a ZIP', async () => {
  const failure = 'No slot.';
  const set = await newSet([{}, { ad: 'Large', failure }, { ad: 'Larger', failure }, { ad: 'Other', failure }]);
  const png = await sharp({ create: { width: 30, height: 90, channels: 3, background: '#c8102e' } })
    .png()
    .toBuffer();
  await insertPage(set.id, [1, 2], png);
  const zip = await entriesOf((await ready((await request(set.id, { failures: true })).id)).file);
  expect([...zip].filter(([name]) => name.startsWith('failures/'))).toEqual([
    ['failures/001-news.example-desktop.png', png],
  ]);
  const rows = zip.get('failures.csv')?.toString().split('\r\n') ?? [];
  expect(rows.map((row) => row.includes('failures/001-news.example-desktop.png'))).toEqual([
    ...[false, true, true, false, false],
  ]);
  const deck = await entriesOf((await ready((await request(set.id, { format: 'pptx', failures: true })).id)).file);
  const media = [...deck].filter(([name]) => name.startsWith('ppt/media/'));
  const sizes = await Promise.all(media.map(async ([, bytes]) => (await sharp(bytes).metadata()).width));
  expect(sizes.filter((width) => width === 56 * 3)).toHaveLength(2);
});

test.each(['pdf', 'pptx', 'zip'] as const)(
  'a %s is built without pages that are missing or no pictures',
  async (format) => {
    const failure = 'No slot.';
    const set = await newSet([{}, { ad: 'Missing', failure }, { ad: 'Text', failure }]);
    await insertPage(set.id, [1], undefined);
    await insertPage(set.id, [2], Buffer.from('<svg/>'));
    logged.length = 0;
    const { file } = await ready((await request(set.id, { format, failures: true })).id);
    expect(logged.filter(({ msg }) => msg.includes('lacks the picture of the page'))).toHaveLength(2);
    if (format !== 'zip') return;
    const zip = await entriesOf(file);
    expect([...zip.keys()].filter((name) => name.startsWith('failures/'))).toEqual([]);
    expect(zip.get('failures.csv')?.toString()).not.toContain('failures/');
  },
);

test('a document with failures lists what ad servers object to, by the settings of the organization', async () => {
  const set = await newSet([{}]);
  const facts = { file_bytes: 400_000, white_edge: 0.9, animation: null, page: null };
  const ads = store.db.selectFrom('screenshots').select('ad_id').where('set_id', '=', set.id);
  await store.db
    .updateTable('ads')
    .set({ facts: JSON.stringify(facts) })
    .where('id', 'in', ads)
    .execute();
  const found = async (options: Partial<ExportOptions> = {}) => {
    const { file } = await ready((await request(set.id, { format: 'pptx', failures: true, ...options })).id);
    const text = [...(await entriesOf(file))].filter(([name]) => name.startsWith('ppt/slides/')).join('');
    return ['file_size', 'no_border', 'Creative check'].filter((part) => text.includes(part));
  };
  expect(await found()).toEqual(['file_size', 'no_border', 'Creative check']);
  expect(await found({ failures: false })).toEqual([]);
  expect(await found({ audience: 'shared' })).toEqual([]);
  const settings = (creative_check: { switched_off?: ['no_border'] }) =>
    store.db
      .updateTable('organizations')
      .set({ creative_check: JSON.stringify(creative_check) })
      .where('id', '=', organization.id)
      .execute();
  await settings({ switched_off: ['no_border'] });
  expect(await found()).toEqual(['file_size', 'Creative check']);
  await settings({});
});

test('a document with original pictures holds their bytes', async () => {
  const set = await newSet(SHOTS.slice(0, 2));
  const { file } = await ready((await request(set.id, { format: 'pptx', pictures: 'original' })).id);
  const media = [...(await entriesOf(file))].filter(([name]) => name.startsWith('ppt/media/'));
  expect([...new Set(media.map(([, bytes]) => sha256Of(bytes)))].toSorted()).toEqual(set.sums.toSorted());
});

test.each(['pptx', 'pdf'] as const)(
  'the picture of the cover of a %s is not counted, and does not move',
  async (format) => {
    const set = await newSet([{ ad: 'Still' }, { ad: 'Other' }]);
    const { gif } = await insertAnimation({ db: store.db, artifacts, organization }, set.shots[0]!);
    const row = await request(set.id, { format });
    const log = createTestLog((line) => logged.push(line));
    let pictures = 0;
    const onPicture = async () => {
      pictures += 1;
    };
    const file = await buffer(await buildExport(row, { db: store.db, artifacts, log, onPicture }));
    expect(pictures).toBe(2);
    if (format === 'pdf') return;
    const media = [...(await entriesOf(file))].filter(([name]) => name.startsWith('ppt/media/'));
    expect([media.length, media.filter(([, bytes]) => bytes.equals(gif)).length]).toEqual([3, 1]);
  },
);

test('a PDF has selectable text and no internal reasons', async () => {
  const set = await newSet();
  const { file } = await ready((await request(set.id, { format: 'pdf', page_size: 'a4' })).id);
  expect(file.includes(COMPOSITE)).toBe(true);
  const { extractText, getDocumentProxy } = await import('unpdf');
  const { totalPages, text } = await extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: false });
  expect(totalPages).toBe(7);
  expect(text[0]).toContain('Placement previews');
  expect(text[0]).toContain('Acme & Sons');
  expect(text[2]).toContain('=HYPERLINK("https://evil.example")');
  expect(text[2]).toContain('21 Nov 2026, 09:30 UTC');
  expect(text[5]).toContain('Spring & <Summer>');
  expect(text.join('\n')).not.toContain('internal reason');
});

test('a file holds only chosen screenshots, in the order of their ids, and no ids of other sets', async () => {
  const set = await newSet();
  const [first = '', , third = ''] = set.shots;
  const built = await ready((await request(set.id, { screenshot_ids: [third, first] })).id);
  const pictures = [...(await entriesOf(built.file)).keys()].filter((name) => name.startsWith('pictures/'));
  expect([built.total, pictures.length]).toEqual([2, 2]);
  const pages = await ready((await request(set.id, { format: 'pdf', screenshot_ids: [third, first] })).id);
  const { extractText, getDocumentProxy } = await import('unpdf');
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pages.file)), { mergePages: false });
  const places = ['2.5 s', '=HYPERLINK'].map((shown) => text.findLastIndex((page) => page.includes(shown)));
  expect(places).toEqual([2, 3]);
  const other = (await newSet()).shots[0] ?? '';
  await expect(request(set.id, { screenshot_ids: [first, other] })).rejects.toMatchObject({
    status: 422,
    errors: { screenshots: [`has the id ${other}, but the set has no such screenshot.`] },
  });
});

test('the same request gets the same export, and another picture or option gets a new one', async () => {
  const set = await newSet(SHOTS.slice(0, 2));
  const [first, second] = await Promise.all([request(set.id), request(set.id)]);
  expect(second.id).toBe(first.id);
  expect((await request(set.id, { frame: 'browser' })).id).not.toBe(first.id);
  await ready(first.id);
  expect((await request(set.id)).id).toBe(first.id);
  await store.db
    .updateTable('screenshots')
    .set({ status: 'canceled' })
    .where('set_id', '=', set.id)
    .where('seq', '=', 1)
    .execute();
  expect((await request(set.id)).id).not.toBe(first.id);
});

test('an export whose process was killed is built again, and the first attempt cannot finish it', async () => {
  const set = await newSet(SHOTS.slice(0, 2));
  const notQueued = { enqueue: () => Promise.resolve() };
  const { id } = await requestExport(
    store.db,
    { organizationId: organization.id, setId: set.id, options: OPTIONS },
    notQueued,
  );
  const killed = await startExportAttempt(store.db, id);
  await store.db.transaction().execute((tx) => queue.enqueue(tx, 'export', { export_id: id }));
  const built = await ready(id);
  expect(built.attempt).toBe(2);
  expect(built.artifact_key).toBe(`exports/${id}/2.zip`);
  if (killed === undefined) throw new Error('The first attempt did not start.');
  expect(await saveExportProgress(store.db, killed, 1)).toBe(false);
  expect(await failExport(store.db, killed, 'Late.')).toBe(false);
});

test('a changed picture fails the export instead of putting wrong bytes under its SHA-256', async () => {
  expectLoggedErrors(/the export could not be built/);
  const set = await newSet(SHOTS.slice(0, 1));
  const { artifact_key } = await store.db
    .selectFrom('images')
    .select('artifact_key')
    .where('token', '=', set.tokens[0] ?? '')
    .executeTakeFirstOrThrow();
  await artifacts.put(artifact_key, Buffer.from('other bytes'), 'image/png');
  const row = await request(set.id);
  await store.db.updateTable('exports').set({ attempt: 4 }).where('id', '=', row.id).execute();
  await eventually(async () => {
    const failed = await findExport(store.db, { id: row.id });
    expect(failed).toMatchObject({ status: 'failed', artifact_key: null });
    expect(failed?.reason).toContain('was changed');
  });
});

test('an expired export loses its files, and the next request builds it again', async () => {
  const set = await newSet(SHOTS.slice(0, 1));
  const built = await ready((await request(set.id)).id);
  await store.db
    .updateTable('exports')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where('id', '=', built.id)
    .execute();
  expect(await OLD_ROWS.export(store.db, 10)).toBe(1);
  expect((await findExport(store.db, { id: built.id }))?.status).toBe('expired');
  await sweepFiles({ db: store.db, artifacts });
  expect(await readdir(path.join(folder, 'exports', built.id))).toEqual([]);
  expect((await request(set.id)).id).not.toBe(built.id);
});
