import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { sleep } from '../lib/sleep.ts';
import { wholeSeconds } from './arguments.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version; safe to run at any time and concurrently')
    .option('--wait <seconds>', 'the longest time to wait for a database that does not answer yet', wholeSeconds, 0)
    .action(async ({ wait }: { wait: number }) => {
      const { migrate } = await import('../store/database/migrate.ts');
      const { DATABASE_URL } = loadConfig(process.env, ['DATABASE_URL']);
      const applied = await retryUntilReachable(() => migrate(DATABASE_URL ?? ''), wait);
      console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
    });
}

/** Error codes of a server that cannot be reached, is starting, or does not have its database yet. */
const RETRYABLE_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  '57P03',
  '3D000',
];

async function retryUntilReachable<T>(act: () => Promise<T>, waitSeconds: number): Promise<T> {
  const deadline = performance.now() + waitSeconds * 1_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!RETRYABLE_CODES.includes(codeOf(error)) || performance.now() >= deadline) throw error;
      await sleep(500);
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
