#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { ConfigError } from './config.ts';
import { Failure, failureMessage } from './domain/failure.ts';
import { errorMessage } from './lib/errorMessage.ts';

const WRONG_USE = 2;

type Register = (program: Command) => void;

/** Each command loads its own code when it runs, so that a capture or the help does not wait for code of the service. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  dev: async () => (await import('./commands/dev/devCommand.ts')).devCommand,
  shoot: async () => (await import('./commands/shootCommand.ts')).shootCommand,
  api: async () => (await import('./commands/apiCommand.ts')).apiCommand,
  controller: async () => (await import('./commands/controllerCommand.ts')).controllerCommand,
  capture: async () => (await import('./commands/captureCommand.ts')).captureCommand,
  cleanup: async () => (await import('./commands/cleanupCommand.ts')).cleanupCommand,
  migrate: async () => (await import('./commands/migrateCommand.ts')).migrateCommand,
  'trial-postgres': async () => (await import('./commands/trialPostgresCommand.ts')).trialPostgresCommand,
  org: async () => (await import('./commands/orgCommand.ts')).orgCommand,
  key: async () => (await import('./commands/keyCommand.ts')).keyCommand,
  connector: async () => (await import('./commands/connectorCommand.ts')).connectorCommand,
};

async function main(): Promise<void> {
  // Captures start often, so they read compiled code from the cache.
  enableCompileCache();
  const program = new Command('tearsheet')
    .description('Places ads into slots of live web pages and takes pictures of them: placement previews.')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(run tearsheet --help for a list of commands)');
  const requested = COMMANDS[process.argv[2] ?? ''];
  for (const load of requested === undefined ? Object.values(COMMANDS) : [requested]) (await load())(program);
  program
    .command('version')
    .description('print the version')
    .action(() => console.log(version()));
  await program.parseAsync();
}

/** Prints the error, with its stack if LOG_LEVEL is debug. @returns the exit code. */
function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  console.error(`tearsheet: ${error instanceof Failure ? failureMessage(error) : errorMessage(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) console.error(error.stack);
  return error instanceof ConfigError ? WRONG_USE : 1;
}

/** @returns the version in package.json, one folder above `src` and `dist`. */
function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

main().catch((error: unknown) => {
  // Exit explicitly, because an open pool or timer would keep the failed process alive.
  process.exit(reportError(error));
});
