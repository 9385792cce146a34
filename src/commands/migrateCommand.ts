import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { wholeSeconds } from './arguments.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version; safe to run at any time and concurrently')
    .option('--wait <seconds>', 'the longest time to wait for a database that does not answer yet', wholeSeconds, 0)
    .action(async ({ wait }: { wait: number }) => {
      const { migrate } = await import('../db/migrate.ts');
      const { whenDatabaseAnswers } = await import('../db/databaseAway.ts');
      const { DATABASE_URL } = loadConfig(process.env, ['DATABASE_URL']);
      const applied = await whenDatabaseAnswers(() => migrate(DATABASE_URL ?? ''), { seconds: wait });
      console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
    });
}
