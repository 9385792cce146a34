/** Wrong command lines of every subcommand. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../../support/runCommand.ts';

const SHOOT = ['shoot', '--ad', '<b>ad</b>', '--site', 'https://news.example/'];

test.each([
  [['shoot'], '--site', 'shoot'],
  [[...SHOOT, '--allow', 'everything'], '--allow', 'shoot'],
  [[...SHOOT, '--chromium', '/no/chromium'], '--chromium', undefined],
  [['dev', '--port', 'http'], '--port', 'dev'],
  [['dev', '--port', '70000'], '--port', 'dev'],
  [['dev', '--allow', '127.0.0.1:70000'], '--allow', 'dev'],
  [['dev', 'demo'], 'dev', 'dev'],
  [['api', '--port', '80'], '--port', 'api'],
  [['api'], 'DATABASE_URL', 'api'],
  [['controller', 'now'], 'now', 'controller'],
  [['capture', '--json'], '--json', 'capture'],
  [['cleanup', '--wait', 'long'], '--wait', 'cleanup'],
  [['migrate', '--wait', '-1'], '--wait', 'migrate'],
  [['trial-postgres'], '--data', 'trial-postgres'],
  [['trial-postgres', '--data', '/tmp/x', '--port', 'a'], '--port', 'trial-postgres'],
  [['org', 'create'], 'slug', 'org create'],
  [['org', 'create', 'acme', '--nonsense'], '--nonsense', 'org create'],
  [['org', 'set', 'acme', '--review', 'never'], '--review', 'org set'],
  [['org', 'set', 'acme'], 'at least one option', 'org set'],
  [['org', 'set', 'acme', '--set-retention-days', '0'], 'from 1 to 36,500', 'org set'],
  [['org', 'set', 'acme', '--pictures-per-day', '0'], 'whole number', 'org set'],
  [['org', 'list'], 'DATABASE_URL', 'org list'],
  [['org', 'lst'], 'lst', 'org'],
  [['key', 'create', 'acme', '--scope', 'everything'], '--scope', 'key create'],
  [['key', 'create', 'acme', '--expires', 'soon'], '--expires', 'key create'],
  [['key', 'create', 'acme', '--expires', '2020-01-01T00:00:00Z'], '--expires', 'key create'],
  [['connector', 'set-s3', 'acme'], '--region', 'connector set-s3'],
  [['connector', 'set-s3', 'acme', '--region', 'x', '--access-key-id', 'y'], '--secret-access-key', 'connector set-s3'],
  [['frobnicate'], 'frobnicate', ''],
] as const)('wrong use says what is wrong and how to get help: %j', async (args, word, command) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect({ code, stdout }).toEqual({ code: command === undefined ? 1 : 2, stdout: '' });
  expect(stderr).toContain(word);
  expect(stderr).not.toMatch(/\n\s+at /);
  if (command !== undefined) expect(stderr).toContain(`(run ${`tearsheet ${command}`.trim()} --help for `);
  // The help is the last line, so that it is what a person sees first.
  if (command !== undefined) expect(stderr.trim().split('\n').at(-1)).toMatch(/^\(run tearsheet /);
});

test.each([
  [
    ['org', 'list'],
    { code: 2, stdout: '', stderr: expect.stringMatching(/^tearsheet: .*\n.*DATABASE_URL is not set/) },
  ],
  [['version'], { code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/), stderr: '' }],
])('the program ends with the exit code of its command: %j', async (args, expected) => {
  const cli = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
  const { DATABASE_URL: _, ...env } = process.env;
  const ended = await new Promise((resolve) =>
    execFile(process.execPath, [cli, ...args], { env, timeout: 110_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
  expect(ended).toEqual(expected);
});
