import type { Command } from 'commander';
import { addressRanges, portNumber } from '../arguments.ts';
import { welcome } from './welcome.ts';

interface Flags {
  readonly port: number;
  readonly data: string;
  readonly allow?: readonly string[];
  readonly json?: boolean;
}

export function devCommand(program: Command): void {
  program
    .command('dev')
    .description('run the whole service with its own PostgreSQL on this machine until Ctrl-C')
    .option('--port <n>', 'port of the API and the pages; 0 takes a free port', portNumber, 8080)
    .option('--data <dir>', 'the folder for all data', '.tearsheet')
    .option(
      '--allow <range>',
      'addresses that captures and webhooks may reach although they are not public, such as 127.0.0.1:3000 or 10.0.0.0/8 (repeatable)',
      addressRanges,
    )
    .option('--json', 'print one JSON line when the service is ready, and nothing else to standard output')
    .action(async ({ port, data, allow = [], json = false }: Flags) => {
      const { startDev } = await import('./dev.ts');
      const ready = await startDev({ port, data, allow });
      console.log(json ? JSON.stringify(ready) : welcome(ready));
    });
}
