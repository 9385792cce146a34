import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { type CandidatesLine, showCandidates } from '../../../../src/capture/shoot/candidates.ts';
import { type ShootOptions, shoot } from '../../../../src/capture/shoot/shoot.ts';
import type { PictureLine } from '../../../../src/capture/shoot/shootOutput.ts';
import { Faults } from '../../../../src/contract/faults.ts';
import { readRuleFile } from '../../../../src/contract/siteRules.ts';
import { findDevice } from '../../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { type Publishers, startPublishers } from '../../../fixtures/publisherServer.ts';
import { required } from '../../../support/required.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

let publishers: Publishers;
let out: string;
beforeAll(async () => {
  publishers = await startPublishers();
  out = await mkdtemp(path.join(tmpdir(), 'shoot-test-'));
});
afterAll(async () => {
  await publishers.close();
  await rm(out, { recursive: true, force: true });
});

/** The letter saves the search for a later picture, which follows if all pictures have one color. */
const RED = '<div style="width:300px;height:250px;background:#c8102e">A</div>';

/** Small screens: a picture takes as long as its pixels. */
const DESKTOP = required(findDevice('Own device 1000 x 600, 1x, Test/1.0'));
const PHONE = required(findDevice('Own device 375 x 600, 2x, touch, Test/1.0'));

const defaults = (): ShootOptions => ({
  ads: [{ given: RED, source: { kind: 'html_tag', content: RED } }],
  sites: [publishers.url('news')],
  devices: [DESKTOP],
  markers: [0],
  out,
  allow: ['127.0.0.0/8'],
  adSize: undefined,
  options: DEFAULT_OPTIONS,
  json: true,
  chromiumPath: findChromium(process.env['CHROMIUM_PATH']),
});
const ioTo = (printed: string[]) => ({
  print: (line: string) => void printed.push(line),
  printProgress: () => undefined,
  log: TEST_LOG,
  signal: new AbortController().signal,
});

async function run(options: Partial<ShootOptions>) {
  const printed: string[] = [];
  const exit = await shoot({ ...defaults(), ...options }, ioTo(printed));
  return { exit, lines: printed.map((line) => JSON.parse(line) as PictureLine) };
}

it('shoot puts an ad into a slot of a page on each device and writes a matching provenance record', async () => {
  const faults = new Faults();
  const host = new URL(publishers.url('news')).hostname;
  const file = [
    { host, hide: ['#gone'] },
    { host, device: 'phone', wait_for: ['body'] },
  ];
  const rules = readRuleFile(file, faults) ?? [];
  const { exit, lines } = await run({ devices: [DESKTOP, PHONE], markers: [null], rules });
  expect(exit).toBe(0);
  // Pages are open side by side: whichever is ready first comes first.
  lines.sort((one, two) => one.device.localeCompare(two.device));
  const sheet = await readFile(path.join(out, 'contact-sheet.html'), 'utf8');
  for (const { file } of lines) {
    expect(sheet).toContain(`src="${path.basename(file!)}"`);
    expect(sheet).toContain(`href="${path.basename(file!).replace('.png', '.json')}"`);
  }
  expect(lines.map(({ status, device }) => [status, device])).toEqual([
    ['uploaded', DESKTOP.name],
    ['uploaded', PHONE.name],
  ]);
  for (const line of lines) {
    expect(line.chosen?.size).toEqual([300, 250]);
    expect(line.slot).toBe(line.chosen?.element);
    expect(line.candidates.length).toBeGreaterThan(1);
    expect(line).toMatchObject({ marker: null, scale: 1, reason: null });
    const png = await readFile(line.file!);
    const record = JSON.parse(await readFile(line.file!.replace(/png$/, 'json'), 'utf8'));
    expect(record.sha256).toBe(createHash('sha256').update(png).digest('hex'));
    const isPhone = line.device === PHONE.name;
    expect(record.site_rules.map(({ id }: { id: string }) => id)).toEqual(isPhone ? ['2', '1'] : ['1']);
    expect(line.warnings).toContainEqual({ code: 'site_rule_failed', message: expect.stringContaining('hide #gone') });
    const { width, height, xmp } = await sharp(png).metadata();
    expect(xmp?.toString()).toContain(`<dc:identifier>${path.basename(line.file!)}</dc:identifier>`);
    expect([width, height]).toEqual([record.viewport.width * record.ratio, record.viewport.height * record.ratio]);
    const { x, y, width: boxWidth, height: boxHeight } = record.ad_box;
    const { data } = await sharp(png)
      .extract({ left: x + (boxWidth >> 1), top: y + (boxHeight >> 1), width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data]).toEqual([0xc8, 0x10, 0x2e]);
  }
});

it('shoot exits with 3, a reason and the page for each picture if a page has no slot or an ad is missing', async () => {
  const missing = `${publishers.cdn}/404`;
  const before = (await readdir(out)).filter((name) => /(?<!-page)\.png$/.test(name));
  const { exit, lines } = await run({
    sites: [publishers.url('noSlots')],
    ads: [
      { given: RED, source: { kind: 'html_tag', content: RED } },
      { given: missing, source: { kind: 'url', content: missing } },
    ],
  });
  expect(exit).toBe(3);
  const byAd = new Map(lines.map((line) => [line.ad, line]));
  expect(byAd.get(RED)).toMatchObject({ status: 'no_slots', file: null, chosen: null });
  const notCaptured = { status: 'ad_not_captured', page_file: null, reason: expect.stringContaining('404') };
  expect(byAd.get(missing)).toMatchObject(notCaptured);
  expect((await readdir(out)).filter((name) => /(?<!-page)\.png$/.test(name))).toEqual(before);
  const page = byAd.get(RED)?.page_file ?? '';
  expect((await sharp(page).metadata()).width).toBe(DESKTOP.viewport.width);
  expect(await readFile(path.join(out, 'contact-sheet.html'), 'utf8')).toContain(`src="${path.basename(page)}"`);
});

it('shoot reports an address that is not allowed as refused', async () => {
  const { exit, lines } = await run({ allow: [] });
  expect(exit).toBe(3);
  expect(lines[0]).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('refused') });
});

it('shoot --candidates shows the slots for the size of an ad, and the page without the ad', async () => {
  const printed: string[] = [];
  const sites = [publishers.url('news'), 'http://127.0.0.1:1/'];
  const exit = await showCandidates({ ...defaults(), sites, sizes: undefined }, ioTo(printed));
  expect(exit).toBe(3);
  const lines = printed.map((line) => JSON.parse(line) as CandidatesLine);
  const [failed, ready] = lines.toSorted((one, two) => one.status.localeCompare(two.status));
  expect(failed).toMatchObject({ status: 'generic_error', files: [], reason: expect.any(String) });
  const [size] = ready?.sizes ?? [];
  expect(size).toMatchObject({
    width: 300,
    height: 250,
    candidates: [{ problem: null }, ...Array(size!.candidates.length - 1).fill({})],
  });
  const { width, height } = await sharp(ready!.files[0]).metadata();
  expect({ width, height }).toEqual(ready?.page);
});
