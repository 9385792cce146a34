import { expect, test } from 'vitest';
import { FinishIndex } from '../../../src/contract/captureProtocol.ts';

const now = Date.now();
const VALID = {
  ...{ id: '00f067aa0ba902b7', parent: '00f067aa0ba902b8', name: 'page', start_ms: now - 5, end_ms: now },
  attributes: { 'server.address': 'news.example', 'tearsheet.index': 1 },
};
const spansOf = (spans: unknown) => FinishIndex.parse({ attempt: 1, phases: {}, spans }).spans;

test('a capture of an older release sends no spans', () => {
  expect(spansOf(undefined)).toEqual([]);
});

test.each<[string, object]>([
  ['a name that no capture uses', { name: 'x'.repeat(10) }],
  ['an id of zeros', { id: '0'.repeat(16) }],
  ['an id that is no text', { id: 7 }],
  ['a parent in upper case', { parent: 'ABCDEFABCDEFABCD' }],
  ['a time that an exporter cannot write', { end_ms: Number.MAX_SAFE_INTEGER }],
  ['a time of last week', { start_ms: now - 7 * 86_400_000 }],
  ['an end before its start', { end_ms: now - 6 }],
  ['another kind of attribute', { attributes: { 'http.request.header.cookie': 'x' } }],
  ['a long attribute', { attributes: { 'tearsheet.device': 'x'.repeat(256) } }],
  ['a nested attribute', { attributes: { 'tearsheet.device': {} } }],
])('a span with %s is left out, and the others count', (_, change) => {
  expect(spansOf([VALID, { ...VALID, ...change }])).toEqual([VALID]);
});

test.each([
  ['a text', 'spans'],
  ['null', null],
  ['too many spans', Array(1_001).fill(VALID)],
])('%s in place of spans costs no result', (_, spans) => {
  expect(spansOf(spans)).toEqual([]);
});
