/** The command line of Tearsheet. */
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { Failure, failureMessage } from '../domain/failure.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import { version } from './version.ts';

const WRONG_USE = 2;

type Register = (program: Command) => void;

/** Each command loads its own code when it runs, so that a capture or the help does not wait for code of the service. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  dev: async () => (await import('./dev/devCommand.ts')).devCommand,
  shoot: async () => (await import('./shootCommand.ts')).shootCommand,
  api: async () => (await import('./apiCommand.ts')).apiCommand,
  controller: async () => (await import('./controllerCommand.ts')).controllerCommand,
  capture: async () => (await import('./captureCommand.ts')).captureCommand,
  check: async () => (await import('./checkCommand.ts')).checkCommand,
  diagnose: async () => (await import('./diagnoseCommand.ts')).diagnoseCommand,
  cleanup: async () => (await import('./cleanupCommand.ts')).cleanupCommand,
  migrate: async () => (await import('./migrateCommand.ts')).migrateCommand,
  'trial-postgres': async () => (await import('./trialPostgresCommand.ts')).trialPostgresCommand,
  org: async () => (await import('./orgCommand.ts')).orgCommand,
  key: async () => (await import('./keyCommand.ts')).keyCommand,
  user: async () => (await import('./userCommand.ts')).userCommand,
  secrets: async () => (await import('./secretsCommand.ts')).secretsCommand,
  connector: async () => (await import('./connectorCommand.ts')).connectorCommand,
};

/** Runs one command. @returns the exit code of a failure; undefined if the command ended or continues to run. */
export async function runProgram(args: readonly string[]): Promise<number | undefined> {
  /** The command whose action runs; undefined while the command line is read. */
  let running: Command | undefined;
  try {
    const program = await programFor(args[0] ?? '');
    program.hook('preAction', async (_program, command) => {
      running = command;
      if (ON_DEV.has(command.parent?.name() ?? '')) await useDev(command.opts());
    });
    await program.parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return reportError(error, running);
  }
}

async function programFor(name: string): Promise<Command> {
  const program = new Command('tearsheet')
    .description('Places ads into slots of live web pages and takes pictures of them: placement previews.')
    .version(version())
    .exitOverride();
  const requested = COMMANDS[name];
  for (const load of requested === undefined ? Object.values(COMMANDS) : [requested]) (await load())(program);
  program
    .command('version')
    .description('print the version')
    .action(() => console.log(version()));
  for (const command of allCommands(program)) {
    command.showHelpAfterError(helpLine(command));
    if (ON_DEV.has(command.parent?.name() ?? '')) command.option('--data <dir>', ON_DEV_HELP);
  }
  return program;
}

/** Commands of operators that also work on a running `tearsheet dev`. */
const ON_DEV: ReadonlySet<string> = new Set(['org', 'key', 'user', 'connector']);
const ON_DEV_HELP = 'the folder of a running tearsheet dev, in place of settings such as DATABASE_URL';

async function useDev({ data }: { readonly data?: string }): Promise<void> {
  if (data === undefined) return;
  const { devSettings } = await import('./dev/devState.ts');
  const { SECRETS_KEYS: ownKeys, ...settings } = await devSettings(data);
  // As in tearsheet dev, keys of the environment are used.
  Object.assign(process.env, { SECRETS_KEYS: process.env['SECRETS_KEYS'] || ownKeys, ...settings });
}

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
function reportError(error: unknown, running: Command | undefined): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  console.error(`tearsheet: ${error instanceof Failure ? failureMessage(error) : errorMessage(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) console.error(error.stack);
  if (!(error instanceof ConfigError)) return 1;
  if (running !== undefined) console.error(helpLine(running));
  return WRONG_USE;
}
