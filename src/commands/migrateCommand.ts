import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config.ts';
import { sleep } from '../lib/sleep.ts';
import { migrate } from '../store/database/migrate.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version; safe to run at any time, also twice at once')
    .option('--wait <seconds>', 'how long to wait for a database that does not answer yet', seconds, 0)
    .action(async ({ wait }: { wait: number }) => {
      const { DATABASE_URL } = loadConfig(process.env, ['DATABASE_URL']);
      const applied = await patiently(() => migrate(DATABASE_URL ?? ''), wait);
      console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
    });
}

function seconds(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds.');
  return Number(text);
}

/** Nobody there, or there and not ready: starting up, or without its database so far. */
const NOT_YET = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT', '57P03', '3D000'];

async function patiently<T>(act: () => Promise<T>, waitSeconds: number): Promise<T> {
  const deadline = performance.now() + waitSeconds * 1_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!NOT_YET.includes(codeOf(error)) || performance.now() >= deadline) throw error;
      await sleep(500);
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
