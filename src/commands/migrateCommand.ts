import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { migrate } from '../store/migrate.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version; safe to run at any time, also twice at once')
    .action(async () => {
      const { DATABASE_URL } = loadConfig(process.env, ['DATABASE_URL']);
      const applied = await migrate(DATABASE_URL ?? '');
      console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
    });
}
