import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from '../../../src/lib/traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a valid traceparent is read and written the same', () => {
  const read = parseTraceparent(`00-${TRACE}-${SPAN}-01`);
  expect(read).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(read && formatTraceparent(read)).toBe(`00-${TRACE}-${SPAN}-01`);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled).toBe(false);
});

test('the fields that a later version adds are ignored', () => {
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes-later`)?.traceId).toBe(TRACE);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a long span id', `00-${TRACE}-${SPAN}0-01`],
  ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['the version ff', `ff-${TRACE}-${SPAN}-01`],
  ['more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
  ['two headers that were joined', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['a line break at the end', `00-${TRACE}-${SPAN}-01\n`],
  ['10 kB', `cc-${TRACE}-${SPAN}-01-${'a'.repeat(10_000)}`],
])('%s is ignored', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
