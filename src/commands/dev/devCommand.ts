import type { Command } from 'commander';
import { addressRanges, portNumber } from '../arguments.ts';
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
      '--allow <range>',
      'addresses that captures and webhooks may reach although they are not public, such as 127.0.0.1:3000 or 10.0.0.0/8 (repeatable)',
      addressRanges,
    )
    .option('--json', 'print one JSON line when the service is ready, and nothing else to standard output')
    .action(async ({ port, data, allow = [], json = false }: Flags) => {
      const { startDev } = await import('./dev.ts');
      const ready = await startDev({ port, data, allow });
      console.log(json ? JSON.stringify(ready) : welcome(ready, data));
    });
}

/** @returns the text of `tearsheet dev` when it is ready: how to sign in, and a first request. */
function welcome(ready: DevReady, data: string): string {
  const { url, organization, api_key, webhook_secret, sign_in_url, sample_url, metrics_url, database_url } = ready;
  return [
    'Tearsheet is ready.',
    '',
    `  sign in         ${sign_in_url}`,
    '                  (works once, within ten minutes; later, paste the API key)',
    `  API             ${url}/api/v1/orgs/${organization}`,
    `  reference       ${url}/docs`,
    `  API key         ${api_key}`,
    `  webhook secret  ${webhook_secret}`,
    `  sample page     ${sample_url}`,
    `  metrics         ${metrics_url}`,
    `  database        ${database_url}`,
    `  commands        tearsheet org, key and user, with --data ${data}`,
    '',
    'A first request, which places a sample ad on the sample page. Open the html_url in the response:',
    '',
    firstRequest(ready),
    '',
  ].join('\n');
}

/** @returns a command for a POSIX shell. The body contains no single quotes. */
function firstRequest({ url, organization, api_key, sample_url, sample_ad_url }: DevReady): string {
  const site = JSON.stringify({ url: sample_url });
  const ad = JSON.stringify({ media: { type: 'url', content: sample_ad_url } });
  return `curl -s ${url}/api/v1/orgs/${organization}/screenshot_requests \\
  -H "Authorization: Bearer ${api_key}" -H "Content-Type: application/json" -d '{
    "campaign": { "name": "First pictures" },
    "screenshot_requests": [{
      "ad": ${ad},
      "screenshots": [
        { "site": ${site}, "device": { "name": "desktop" } },
        { "site": ${site}, "device": { "name": "iphone" } }
      ]
    }]
  }'`;
}
