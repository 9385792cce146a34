import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateSchema } from '../../../scripts/generateSchema.ts';
import { testDatabase } from '../../support/database.ts';

test('the types in schema.ts are those of the migrated tables', async () => {
  const database = await testDatabase();
  const generated = await generateSchema(database.url);
  await database.close();
  expect(await readFile('src/db/schema.ts', 'utf8'), 'Run make generate.').toBe(generated);
});
