import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordOf } from '../../../src/contract/recordOf.ts';

const Record = z.object({
  type: z.literal('thing'),
  id: z.string(),
  made_at: z.iso.datetime({ offset: true }),
  ended_at: z.iso.datetime({ offset: true }).nullable().describe('Null until then.'),
  owner: z.object({ name: z.string() }),
  reason: z.string().optional(),
  note: z.string().optional().nullable(),
});

const row = {
  owner_name: 'Ada',
  secret: 's',
  reason: null,
  note: 'internal',
  ended_at: null,
  made_at: new Date(0),
  id: 'a',
};

test('a record has the fields of its schema in their order, from the row and from what is given', () => {
  const record = recordOf(Record, row, { owner: { name: row.owner_name } });
  expect(JSON.stringify(record)).toBe(
    '{"type":"thing","id":"a","made_at":"1970-01-01T00:00:00.000+00:00","ended_at":null,"owner":{"name":"Ada"}}',
  );
});

test('a given field replaces the column of its name, and an optional one is there only if given', () => {
  const record = recordOf(Record, row, { id: 'b', owner: { name: 'Ada' }, reason: 'gone' });
  expect(record).toMatchObject({ id: 'b', reason: 'gone' });
});

test('a column that cannot be shown as the schema says must be given', () => {
  // @ts-expect-error the schema says that the id is a string
  recordOf(Record, { ...row, id: 7 }, { owner: { name: 'Ada' } });
  // @ts-expect-error the row has no owner
  recordOf(Record, row, {});
});
