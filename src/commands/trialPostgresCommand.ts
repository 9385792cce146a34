import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { createLogger } from '../observe/logger.ts';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { startEmbeddedPostgres } from './dev/embeddedPostgres.ts';

/** Everybody who knows the password, from everywhere: what keeps others off is the network it stands in. */
const RULES = ['0.0.0.0/0', '::/0'].map((range) => `host all all ${range} scram-sha-256\n`).join('');

interface Options {
  readonly data: string;
  readonly port: string;
}

export function trialPostgresCommand(program: Command): void {
  program
    .command('trial-postgres')
    .description('a PostgreSQL to try the service on a cluster with, password in PGPASSWORD; no backups, no second one')
    .requiredOption('--data <dir>', 'where its data is kept')
    .option('--port <port>', 'port that it listens on, at every address', '5432')
    .action(run);
}

async function run({ data, port }: Options): Promise<void> {
  const password = process.env['PGPASSWORD'];
  if (!password) throw new ConfigError('PGPASSWORD is not set: the password of its account postgres.');
  const log = createLogger({ level: 'info', name: 'trial-postgres' });
  const folder = path.resolve(data);
  const rules = `${folder}.hba`;
  mkdirSync(path.dirname(folder), { recursive: true });
  writeFileSync(rules, RULES);
  const server = await startEmbeddedPostgres({
    folder,
    password,
    port: Number(port),
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
  log.info({ port: Number(port) }, 'ready');
}
