import { expect, test } from 'vitest';
import { listTextOf } from '../../../src/slotLists/listText.ts';

const read = (text: string | Buffer) => listTextOf('ads.txt', Buffer.from(text as string));

test.each([
  ['a header and rules', '[Adblock Plus 2.0]\n! Title: x\n##.box\n'],
  ['a rule for one host', 'news.example##.box'],
  ['a rule for addresses', '||ads.example^$subdocument'],
  ['only an exception', '@@||news.example^$generichide'],
])('%s are a filter list', (_what, text) => {
  expect(read(text)).toBe(text);
});

test.each([
  ['an empty file', '', 'it is empty'],
  ['a web page', '\n<!doctype html><p>##.x</p>', 'it is a web page'],
  ['JSON', '{"rules":["##.x"]}', 'it is JSON'],
  ['prose', 'The council voted.\nIt was late.\n', 'it has no rule'],
  ['only comments', '! Title: x\n', 'it has no rule'],
  ['a binary file', Buffer.from([35, 35, 0, 1]), 'it is a binary file'],
  ['another encoding', Buffer.from([35, 35, 46, 0xe9, 10]), 'it is not UTF-8 text'],
])('%s is not a filter list', (_what, text, fault) => {
  expect(() => read(text)).toThrow(`ads.txt is not a filter list: ${fault}`);
});
