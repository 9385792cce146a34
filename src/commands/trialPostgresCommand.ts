import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { createLogger } from '../observe/logger.ts';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { portNumber } from './arguments.ts';

/** Every client that knows the password may connect. Only the network limits who can reach the server. */
const RULES = ['0.0.0.0/0', '::/0'].map((range) => `host all all ${range} scram-sha-256\n`).join('');

interface Options {
  readonly data: string;
  readonly port: number;
}

export function trialPostgresCommand(program: Command): void {
  program
    .command('trial-postgres')
    .description('run a PostgreSQL for a trial on a cluster, without backups or replicas; password in PGPASSWORD')
    .requiredOption('--data <dir>', 'the folder for its data')
    .option('--port <port>', 'the port to listen on, on all addresses', portNumber, 5432)
    .action(run);
}

async function run({ data, port }: Options): Promise<void> {
  const { startEmbeddedPostgres } = await import('./dev/embeddedPostgres.ts');
  const password = process.env['PGPASSWORD'];
  if (!password) throw new ConfigError('PGPASSWORD is not set. Set it to the password of the account postgres.');
  const log = createLogger({ level: 'info', name: 'trial-postgres' });
  const folder = path.resolve(data);
  const rules = `${folder}.hba`;
  mkdirSync(path.dirname(folder), { recursive: true });
  writeFileSync(rules, RULES);
  const server = await startEmbeddedPostgres({
    folder,
    password,
    port,
    settings: ['listen_addresses=*', `hba_file=${rules}`],
    onExit: (message) => {
      log.fatal({}, message);
      process.exit(1);
    },
  });
  gracefulShutdown({
    log,
    unready: () => undefined,
    steps: [{ name: 'PostgreSQL', run: server.stop, deadlineMs: 20_000 }],
  });
  log.info({ port }, 'ready');
}
