import { Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { pictureFileName } from '../../../src/capture/shoot/shootOutput.ts';
import { shootCommand } from '../../../src/commands/shootCommand.ts';
import { findDevice } from '../../../src/domain/devices.ts';

async function parse(...flags: string[]): Promise<{ code: string; message: string }> {
  const program = new Command('tearsheet').exitOverride().configureOutput({ writeErr: () => undefined });
  shootCommand(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    await program.parseAsync(['shoot', ...flags], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
  throw new Error('The command was accepted.');
}

const TAG = '<b>ad</b>';
const SITE = 'https://news.example/';

it.each([
  ['no ad', ['--site', SITE], '--ad'],
  ['no site', ['--ad', TAG], '--site'],
  ['an ad file that does not exist', ['--ad', './no-such-file.png', '--site', SITE], 'neither a file'],
  ['a folder as ad', ['--ad', '.', '--site', SITE], 'not a file'],
  ['a site that is not a web address', ['--ad', TAG, '--site', 'ftp://news.example/'], 'http'],
  ['an unknown device', ['--ad', TAG, '--site', SITE, '--device', 'fridge'], 'Samsung Galaxy S10'],
  ['a marker over 30 s', ['--ad', TAG, '--site', SITE, '--marker', '30.0001'], '0 to 30'],
  ['a marker that is not a number', ['--ad', TAG, '--site', SITE, '--marker', 'soon'], '0 to 30'],
  ['an invalid range of addresses', ['--ad', TAG, '--site', SITE, '--allow', 'everything'], 'everything'],
])('shoot rejects %s with a message about the fault', async (_what, flags, word) => {
  const { message } = await parse(...flags);
  expect(message).toContain(word);
});

it.each([
  ['/tmp/My Ad (1).png', '001-news.example-apple-iphone-x-my-ad-1-.png-default.png', null],
  ['https://cdn.example/a/b.gif?x=../../etc', '001-news.example-apple-iphone-x-b.gif-1500ms.png', 1_500],
  ['https://cdn.example/', '001-news.example-apple-iphone-x-cdn.example-default.png', null],
  ['<script src="x">', '001-news.example-apple-iphone-x-tag-default.png', null],
  ['..', '001-news.example-apple-iphone-x-x-default.png', null],
])('the picture of the ad %s gets a plain file name', (ad, name, markerMs) => {
  const device = findDevice('Apple iPhone X')!;
  expect(pictureFileName(1, { site: SITE, device, ad, markerMs })).toBe(name);
});
