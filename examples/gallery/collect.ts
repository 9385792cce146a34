/**
 * Opens the labelled pages and writes what the engine sees of their slots to candidates.jsonl: numbers and selectors, no page content.
 * `make fit PAGES=DIR` starts it when the search for slots has changed; fit.ts reads the file.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import { startEngine } from '../../src/capture/engine/engine.ts';
import { DEVICES } from '../../src/domain/devices.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import type { CandidateRow } from './labels.ts';
import { CANDIDATES_FILE, readLabels } from './labels.ts';
import { openMaterials } from './materials.ts';

/** Most of the time a page waits for hosts that do not answer. */
const PAGES_AT_ONCE = 8;
/** Slots that no label can be about are left out. */
const MAX_SLOTS = 40;

const LOG = { debug: () => undefined, info: () => undefined, warn: console.error, error: console.error };

export async function collectCandidates(folder: string): Promise<void> {
  const materials = await openMaterials({ creatives: [], pages: [folder] });
  const engine = await startEngine({
    chromiumPath: findChromium(process.env['CHROMIUM_PATH']),
    allow: ['127.0.0.0/8'],
    log: LOG,
    settings: { navigationTimeoutMs: 15_000 },
  });
  const wanted = new Set(readLabels().map(({ page, device }) => `${page} ${device}`));
  const rows: CandidateRow[] = [];
  const work = new TaskGroup(PAGES_AT_ONCE);
  for (const { name: page, url } of materials.pages)
    for (const device of DEVICES.filter(({ name }) => wanted.has(`${page} ${name}`)))
      await work.add(async () => {
        const opened = await engine.open(url, device);
        if (opened.status !== 'ready') return console.error(`${page} as ${device.name}: ${opened.reason}`);
        const slots = opened.candidates.filter(({ visible, collapsed }) => visible || collapsed).slice(0, MAX_SLOTS);
        rows.push({ page, device: device.name, viewport: device.viewport, slots });
        await opened.close();
        if (rows.length % 20 === 0) console.error(`${rows.length} of ${wanted.size} pages`);
      });
  await work.drain();
  await engine.close();
  await materials.close();
  const keyOf = ({ page, device }: CandidateRow) => `${page} ${device}`;
  const lines = rows.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b))).map((row) => JSON.stringify(row));
  writeFileSync(CANDIDATES_FILE, `${lines.join('\n')}\n`);
  console.error(`${rows.length} pages: ${path.basename(CANDIDATES_FILE.pathname)}`);
}
