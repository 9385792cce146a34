#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { version } from './commands/version.ts';
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
  check: async () => (await import('./commands/checkCommand.ts')).checkCommand,
  diagnose: async () => (await import('./commands/diagnoseCommand.ts')).diagnoseCommand,
  cleanup: async () => (await import('./commands/cleanupCommand.ts')).cleanupCommand,
  migrate: async () => (await import('./commands/migrateCommand.ts')).migrateCommand,
  'trial-postgres': async () => (await import('./commands/trialPostgresCommand.ts')).trialPostgresCommand,
  org: async () => (await import('./commands/orgCommand.ts')).orgCommand,
  key: async () => (await import('./commands/keyCommand.ts')).keyCommand,
  user: async () => (await import('./commands/userCommand.ts')).userCommand,
  secrets: async () => (await import('./commands/secretsCommand.ts')).secretsCommand,
  connector: async () => (await import('./commands/connectorCommand.ts')).connectorCommand,
};

async function main(): Promise<void> {
  // Captures start often, so they read compiled code from the cache.
  enableCompileCache();
  const program = new Command('tearsheet')
    .description('Places ads into slots of live web pages and takes pictures of them: placement previews.')
    .version(version())
    .exitOverride();
  const requested = COMMANDS[process.argv[2] ?? ''];
  for (const load of requested === undefined ? Object.values(COMMANDS) : [requested]) (await load())(program);
  program
    .command('version')
    .description('print the version')
    .action(() => console.log(version()));
  for (const command of allCommands(program)) {
    command.showHelpAfterError(helpLine(command));
    if (ON_DEV.has(command.parent?.name() ?? '')) command.option('--data <dir>', ON_DEV_HELP);
  }
  program.hook('preAction', async (_program, command) => {
    running = command;
    if (ON_DEV.has(command.parent?.name() ?? '')) await useDev(command.opts());
  });
  await program.parseAsync();
}

/** Commands of operators that also work on a running `tearsheet dev`. */
const ON_DEV: ReadonlySet<string> = new Set(['org', 'key', 'user', 'connector']);
const ON_DEV_HELP = 'the folder of a running tearsheet dev, in place of settings such as DATABASE_URL';

async function useDev({ data }: { readonly data?: string }): Promise<void> {
  if (data === undefined) return;
  const { devSettings } = await import('./commands/dev/devState.ts');
  const { SECRETS_KEYS: ownKeys, ...settings } = await devSettings(data);
  // As in tearsheet dev, keys of the environment are used.
  Object.assign(process.env, { SECRETS_KEYS: process.env['SECRETS_KEYS'] || ownKeys, ...settings });
}

/** The command whose action runs; undefined while the command line is read. */
let running: Command | undefined;

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function helpLine(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const what = command.commands.length > 0 ? 'its commands' : 'its arguments and options';
  return `(run ${names.join(' ')} --help for ${what})`;
}

/** Prints the error, with its stack if LOG_LEVEL is debug. @returns the exit code. */
function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  console.error(`tearsheet: ${error instanceof Failure ? failureMessage(error) : errorMessage(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) console.error(error.stack);
  if (!(error instanceof ConfigError)) return 1;
  if (running !== undefined) console.error(helpLine(running));
  return WRONG_USE;
}

main().catch((error: unknown) => {
  // Exit explicitly, because an open pool or timer would keep the failed process alive.
  process.exit(reportError(error));
});
