#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { version } from './commands/version.ts';
import { ConfigError } from './config.ts';
import { Failure, failureMessage } from './domain/failure.ts';
import { errorMessage } from './lib/errorMessage.ts';

const WRONG_USE = 2;

type Register = (program: Command) => void;

/** Loaded when asked for: a capture must not wait for code that only the service needs. */
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
  // Captures start often: what was compiled once is read the next time.
  enableCompileCache();
  const program = new Command('tearsheet')
    .description('Places ads into slots of live web pages and takes pictures of them: placement previews.')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(tearsheet --help tells what there is)');
  const asked = COMMANDS[process.argv[2] ?? ''];
  for (const load of asked === undefined ? Object.values(COMMANDS) : [asked]) (await load())(program);
  program
    .command('version')
    .description('print the version')
    .action(() => console.log(version()));
  await program.parseAsync();
}

/** One sentence for people; the stack only where somebody debugs. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  console.error(`tearsheet: ${wordsOf(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) console.error(error.stack);
  return error instanceof ConfigError ? WRONG_USE : 1;
}

function wordsOf(error: unknown): string {
  if (error instanceof Failure) return failureMessage(error);
  return errorMessage(error);
}

main().catch((error: unknown) => {
  // What had been begun, a pool or a timer, must not keep a process alive that does not do its work.
  process.exit(explain(error));
});
