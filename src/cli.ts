#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { shootCommand } from './capture/shootCommand.ts';
import { apiCommand } from './commands/apiCommand.ts';
import { captureCommand } from './commands/captureCommand.ts';
import { connectorCommand } from './commands/connectorCommand.ts';
import { controllerCommand } from './commands/controllerCommand.ts';
import { devCommand } from './commands/dev/devCommand.ts';
import { keyCommand } from './commands/keyCommand.ts';
import { migrateCommand } from './commands/migrateCommand.ts';
import { orgCommand } from './commands/orgCommand.ts';
import { version } from './commands/version.ts';
import { ConfigError } from './config.ts';

const WRONG_USE = 2;

async function main(): Promise<void> {
  const program = new Command('tearsheet')
    .description(
      'Proof that an ad ran on a page: renders ad creatives, finds real slots on live pages, returns pictures.',
    )
    .version(version())
    .exitOverride()
    .showHelpAfterError('(tearsheet --help tells what there is)');
  const register = [
    devCommand,
    shootCommand,
    apiCommand,
    controllerCommand,
    captureCommand,
    migrateCommand,
    orgCommand,
    keyCommand,
    connectorCommand,
  ];
  for (const command of register) command(program);
  program
    .command('version')
    .description('print the version')
    .action(() => console.log(version()));
  await program.parseAsync();
}

/** One sentence for people; the stack only where somebody debugs. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  console.error(`tearsheet: ${error instanceof Error ? error.message : String(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) console.error(error.stack);
  return error instanceof ConfigError ? WRONG_USE : 1;
}

main().catch((error: unknown) => {
  process.exitCode = explain(error);
});
