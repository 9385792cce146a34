import { execFile } from 'node:child_process';
import { cpus, loadavg, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import pg from 'pg';
import { findChromium } from '../../src/capture/browser/chromium.ts';

export const CHROMIUM = findChromium(process.env['CHROMIUM_PATH']);

/** The machine of the measurement, as label and value. */
export async function describeMachine(databaseUrl: string): Promise<[string, string][]> {
  const browser = await promisify(execFile)(CHROMIUM, ['--version'], { timeout: 30_000 });
  const processors = cpus();
  return [
    ['date', new Date().toISOString().slice(0, 10)],
    ['processor', `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`],
    ['memory', `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ['system', `${type()} ${process.arch}`],
    ['Node', process.versions.node],
    ['browser', browser.stdout.trim()],
    ['PostgreSQL', await versionOf(databaseUrl)],
  ];
}

/** Other work on the machine: the average number of running or waiting processes in the last minute. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

async function versionOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown';
  } finally {
    await client.end();
  }
}
