import { Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { type PictureLine, pictureFileName, textLine } from '../../../src/capture/shoot/shootOutput.ts';
import { shootCommand } from '../../../src/commands/shootCommand.ts';
import { findDevice } from '../../../src/domain/devices.ts';
import { WARNING_CODES } from '../../../src/domain/warnings.ts';

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
const SIZES_21 = Array.from({ length: 21 }, (_, at) => `300x${200 + at}`).join(',');

it.each([
  ['no ad', ['--site', SITE], '--ad'],
  ['candidates without a size or an ad', ['--site', SITE, '--candidates'], '--candidates with sizes'],
  ['21 sizes of candidates', ['--site', SITE, '--candidates', SIZES_21], 'at most 20 sizes'],
  ['no site', ['--ad', TAG], '--site'],
  ['an ad file that does not exist', ['--ad', './no-such-file.png', '--site', SITE], 'neither a file'],
  ['a folder as ad', ['--ad', '.', '--site', SITE], 'not a file'],
  ['a site that is not a web address', ['--ad', TAG, '--site', 'ftp://news.example/'], 'http'],
  ['an unknown device', ['--ad', TAG, '--site', SITE, '--device', 'fridge'], 'Samsung Galaxy S10'],
  ['a custom device that is too small', ['--ad', TAG, '--site', SITE, '--device', '100x100'], 'such as 412x915@2.63'],
  ['a marker over 30 s', ['--ad', TAG, '--site', SITE, '--marker', '30.0001'], '0 to 30'],
  ['a marker that is not a number', ['--ad', TAG, '--site', SITE, '--marker', 'soon'], '0 to 30'],
  ['an ad size without a height', ['--ad', TAG, '--site', SITE, '--ad-size', '300'], 'for example 300x250'],
  ['an ad size of zero', ['--ad', TAG, '--site', SITE, '--ad-size', '0x250'], 'from 1 to 4096'],
  ['an ad size over 4096 pixels', ['--ad', TAG, '--site', SITE, '--ad-size', '300x4097'], 'from 1 to 4096'],
  ['a candidate with the number zero', ['--ad', TAG, '--site', SITE, '--slot', '0'], 'from 1 to 100'],
  ['a candidate with the number 101', ['--ad', TAG, '--site', SITE, '--slot', '101'], 'from 1 to 100'],
  [
    'a group at two moments',
    ['--ad', TAG, '--site', SITE, '--group', '--marker', '0', '--marker', '1'],
    'one --marker',
  ],
  ['an empty selector', ['--ad', TAG, '--site', SITE, '--slot', ' '], 'give a CSS selector'],
  ['a selector over 500 characters', ['--ad', TAG, '--site', SITE, '--slot', 'x'.repeat(501)], '500'],
  ['an unknown format', ['--ad', TAG, '--site', SITE, '--slot', 'format:popup'], 'The format must be one of: display'],
  ['another choice about other ads', ['--ad', TAG, '--site', SITE, '--other-ads', 'show'], 'hide, keep'],
  [
    'a file of rules that does not exist',
    ['--ad', TAG, '--site', SITE, '--rules', './no-rules.json'],
    'no file with JSON',
  ],
  ['rules with faults', ['--ad', TAG, '--site', SITE, '--rules', 'package.json'], '  data is required'],
  ['an invalid range of addresses', ['--ad', TAG, '--site', SITE, '--allow', 'everything'], 'everything'],
])('shoot rejects %s with a message about the fault', async (_what, flags, word) => {
  const { message } = await parse(...flags);
  expect(message).toContain(word);
});

it('the text of a picture of shoot ends with one line for each warning', () => {
  const box = { x: 0, y: 0, width: 300, height: 250 };
  const line: PictureLine = {
    status: 'uploaded',
    site: SITE,
    device: 'desktop',
    marker: null,
    file: 'a.png',
    page_file: null,
    ad: TAG,
    reason: null,
    slot: '#slot',
    candidates: [],
    chosen: {
      element: '#slot',
      box,
      size: [300, 250],
      score: 1,
      likelihood: 1,
      evidence: [],
      reasons: [],
      format: 'display',
      problem: null,
    },
    scale: 1,
    mode: 'composed',
    warnings: WARNING_CODES.map((code) => ({ code, message: `A fact with the code ${code}.` })),
  };
  const [first, ...rest] = textLine(line).split('\n');
  expect(first).toContain('placed');
  expect(rest.map((text) => text.trim())).toEqual(
    WARNING_CODES.map((code) => `warning: A fact with the code ${code}.`),
  );
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
