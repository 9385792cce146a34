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
      const { createLogger } = await import('../observe/logger.ts');
      const { Outage } = await import('../observe/outage.ts');
      const { DATABASE_URL, LOG_LEVEL } = loadConfig(process.env, ['DATABASE_URL']);
      // As init containers of API and controller, it logs as they do.
      const log = createLogger({ level: LOG_LEVEL, name: 'migrate' });
      const outage = new Outage('the database', () => true);
      const onWait = (error: unknown) => outage.began(error, log);
      const applied = await whenDatabaseAnswers(() => migrate(DATABASE_URL), { seconds: wait, onWait });
      outage.ended(log);
      log.info({ applied }, applied.length === 0 ? 'the database is up to date' : 'the database was migrated');
    });
}
