import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { drawLogo } from '../../../src/api/logos/drawLogo.ts';
import { invalid } from '../../../src/domain/failure.ts';
import { FileReader } from '../../../src/fileReader/fileReader.ts';
import type { readPlan } from '../../../src/pages/newRequest/readPlan.ts';
import { parentOf } from '../../integration/capture/page/browserProcesses.ts';
import { eventually } from '../../support/eventually.ts';
import type * as tasks from '../../support/readerTasks.ts';
import { SLOW_SVG } from '../../support/slowSvg.ts';
import { zipOf } from '../../support/zips.ts';

const TASKS = new URL('../../support/readerTasks.ts', import.meta.url).href;
const LOGO = new URL('../../../src/api/logos/drawLogo.ts', import.meta.url).href;
const PLAN = new URL('../../../src/pages/newRequest/readPlan.ts', import.meta.url).href;
const fault = (limit: string) => invalid({ file: [limit] });
const task = (run: string, seconds = 60) => ({ module: TASKS, run, seconds, fault });
const logo = (seconds: number) => ({ module: LOGO, run: 'drawLogo', seconds, fault });

const OPTIONS = { inAll: 2, ofEach: 1, waiting: 3, waitMs: 60_000 };
const nothing = () => undefined as never;

const HARMLESS = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="9" height="9"/></svg>',
);

/** The processes that this one has started and that have not ended. */
function children(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === process.pid);
}

test('an SVG that is slow to draw ends with a fault and its process is killed, while others have their logos drawn', async () => {
  const files = new FileReader(OPTIONS);
  const before = children();
  const hostile = [1, 2].map(() => files.read<typeof drawLogo>('hostile', logo(2), () => Buffer.from(SLOW_SVG)));
  const settled = Promise.allSettled(hostile);
  const { width } = await files.read<typeof drawLogo>('other', logo(60), () => HARMLESS);
  expect(width).toBe(960);
  for (const { reason } of (await settled) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ status: 422, errors: { file: ['took longer than 2 s'] } });
  await eventually(() => expect(children()).toEqual(before));
});

test.each([
  ['takeMemory', /needed more than 384 MB of memory/],
  ['fillHeap', /needed more than 384 MB of memory/],
])('a file that needs too much memory (%s) ends with a fault', async (run, message) => {
  const reading = new FileReader(OPTIONS).read<typeof tasks.loop>('one', task(run), nothing);
  await expect(reading).rejects.toMatchObject({ status: 422, errors: { file: [expect.stringMatching(message)] } });
});

test('a workbook with a cell far away ends with a fault', async () => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const workbook = await zipOf({
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="ZZZZZZZZ99999999999"><v>1</v></c></row></sheetData></worksheet>`,
  });
  const plan = { ...task('readPlan', 2), module: PLAN };
  const reading = new FileReader(OPTIONS).read<typeof readPlan>('one', plan, () => workbook);
  await expect(reading).rejects.toMatchObject({ status: 422 });
});

test('a loop in JavaScript ends with a fault', async () => {
  const reading = new FileReader(OPTIONS).read<typeof tasks.loop>('one', task('loop', 1), nothing);
  await expect(reading).rejects.toMatchObject({ errors: { file: ['took longer than 1 s'] } });
});

test('an error of the function, and a process that ends, are errors of the service', async () => {
  const files = new FileReader(OPTIONS);
  await expect(files.read<typeof tasks.fail>('one', task('fail'), () => 'broken')).rejects.toThrow(/Error: broken/);
  await expect(files.read<typeof tasks.exit>('one', task('exit'), nothing)).rejects.toThrow(/exit code 3/);
});

test('a process gets the bytes, and no secret of the environment', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://secret');
  const files = new FileReader(OPTIONS);
  const names = await files.read<typeof tasks.environment>('one', task('environment'), nothing);
  vi.unstubAllEnvs();
  expect(names).toContain('PATH');
  expect(names).not.toContain('DATABASE_URL');
  const bytes = Buffer.alloc(6 * 1024 * 1024, 'x');
  expect(bytes.equals(await files.read<typeof tasks.echo>('one', task('echo'), () => bytes))).toBe(true);
});

test('too many files of one organization are rejected at once, or after too long a wait', async () => {
  const [free, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const files = new FileReader({ ...OPTIONS, waiting: 1, waitMs: 1_000 });
  const whoAmI = (input = nothing as () => Promise<never>) =>
    files.read<typeof tasks.whoAmI>('one', task('whoAmI'), input);
  const first = whoAmI(async () => {
    taken.resolve();
    await free.promise;
    return nothing();
  });
  await taken.promise;
  const second = whoAmI();
  const third = whoAmI();
  for (const late of [third, second])
    await expect(late).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '5' } });
  free.resolve();
  expect(await first).toBeGreaterThan(0);
});

test('a process is used again for its organization only, and ends for another one', async () => {
  const files = new FileReader({ ...OPTIONS, inAll: 1, idleMs: 60_000 });
  const whoAmI = (organization: string) => files.read<typeof tasks.whoAmI>(organization, task('whoAmI'), nothing);
  const pid = await whoAmI('one');
  expect(await whoAmI('one')).toBe(pid);
  const other = await whoAmI('other');
  expect(other).not.toBe(pid);
  await eventually(() => expect(children()).not.toContain(pid));
  process.kill(other, 'SIGKILL');
  await eventually(() => expect(children()).not.toContain(other));
  expect(await whoAmI('other')).not.toBe(other);
});

test('a process that kept much memory is not used again', async () => {
  const files = new FileReader({ ...OPTIONS, idleMs: 60_000 });
  const pid = await files.read<typeof tasks.keepMemory>('one', task('keepMemory'), nothing);
  expect(await files.read<typeof tasks.whoAmI>('one', task('whoAmI'), nothing)).not.toBe(pid);
});
