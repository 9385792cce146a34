/**
 * `make bench`: measures speed against floors, and prints the figures as the table of docs/performance.md.
 * `node test/bench/run.ts [NAME…] [--quick]` measures only the figures that are named, or all with fewer rounds.
 */
import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { defaultOpenPages } from '../../src/capture/engine/pageQueue.ts';
import { startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { measureAnimations } from './animations.ts';
import { measureCampaign } from './campaign.ts';
import { type Figure, tableOf } from './figures.ts';
import { measureFirst } from './first.ts';
import { measureMarkers } from './markers.ts';
import { measurePages } from './pages.ts';
import { measurePictures } from './pictures.ts';
import { measureRequests } from './requests.ts';
import { load, withFolder } from './service.ts';
import { measureWebhooks } from './webhooks.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const started = Date.now();

type Bench = (databaseUrl: string, quick: boolean) => Promise<readonly Figure[]>;

const BENCHES: Readonly<Record<string, Bench>> = {
  requests: async (databaseUrl, quick) => [
    await measureRequests({ databaseUrl, rounds: quick ? 3 : 15, requests: 1_000 }),
  ],
  webhooks: (databaseUrl, quick) =>
    measureWebhooks({ databaseUrl, ...(quick ? { rounds: 2, webhooks: 2_000 } : { rounds: 5, webhooks: 5_000 }) }),
  pictures: (_, quick) => measurePictures(quick ? { rounds: 2, ads: 20 } : { rounds: 5, ads: 50 }),
  pages: async (_, quick) => {
    const pagesAtOnce = await defaultOpenPages();
    return measurePages({ ...(quick ? { rounds: 1, pages: 12 } : { rounds: 4, pages: 40 }), pagesAtOnce });
  },
  campaign: (_, quick) => measureCampaign({ rounds: quick ? 1 : 3, ads: 10, sites: 10 }),
  animations: (_, quick) => measureAnimations(quick ? 2 : 5),
  markers: (_, quick) => measureMarkers(quick ? 3 : 7),
  first: (_, quick) => measureFirst(quick ? 3 : 7),
};

function log(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes('--quick');
  const named = args.filter((arg) => !arg.startsWith('--'));
  const unknown = named.filter((name) => BENCHES[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`There is no bench ${unknown.join(', ')}. Use ${Object.keys(BENCHES).join(', ')}.`);
  await promisify(execFile)('make', ['-s', 'build'], { cwd: ROOT, timeout: 300_000 });
  log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}`,
  );
  const figures: Figure[] = [];
  await withFolder(async (folder) => {
    const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'bench' });
    try {
      for (const [name, measure] of Object.entries(BENCHES)) {
        if (named.length > 0 && !named.includes(name)) continue;
        figures.push(...(await measure(postgres.url, quick)));
        log(`${name} measured (load ${load()})`);
      }
    } finally {
      await postgres.stop();
    }
  });
  console.log(tableOf(figures));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
