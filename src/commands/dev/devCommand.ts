import { type Command, InvalidArgumentError } from 'commander';
import { cidrFault } from '../../egress/addresses.ts';
import type { DevReady } from './dev.ts';

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
      '--allow <cidr>',
      'a range that captures and webhooks may reach although it is not public; may be repeated',
      range,
    )
    .option('--json', 'print one JSON line when the service is ready')
    .action(async ({ port, data, allow = [], json = false }: Flags) => {
      const { startDev } = await import('./dev.ts');
      const ready = await startDev({ port, data, allow });
      console.log(json ? JSON.stringify(ready) : welcome(ready));
    });
}

function range(text: string, before: readonly string[] = []): readonly string[] {
  const fault = cidrFault(text);
  if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  return [...before, text];
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('must be a port, 0 to 65535.');
  return port;
}

function welcome({ url, organization, api_key, webhook_secret, metrics_url, database_url }: DevReady): string {
  return [
    'Tearsheet is ready.',
    `  API             ${url}/api/v1/orgs/${organization}`,
    `  reference       ${url}/docs`,
    `  pages           ${url}/o/${organization}`,
    `  API key         ${api_key}`,
    `  webhook secret  ${webhook_secret}`,
    `  metrics         ${metrics_url}`,
    `  database        ${database_url}`,
  ].join('\n');
}
