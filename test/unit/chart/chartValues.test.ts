import { expect, test } from 'vitest';
import { readChartValues } from '../../../scripts/chartValues.ts';

const TEXT = `# The head of the file.

# @section First
# How many.
# @schema {"minimum": 1}
count: 2

group:
  # On two
  # lines.
  inner: ""
  # As Kubernetes has it.
  # @schema {"$open": true}
  whole: { a: 1 }

# @section Second

# Nothing.
none: []
`;

test('a value gets its description from the comment above it, and its section', () => {
  const [count, group, none] = readChartValues(TEXT);
  expect(count).toEqual({
    name: 'count',
    fallback: 2,
    description: 'How many.',
    schema: { minimum: 1 },
    section: 'First',
    inner: [],
  });
  expect(group?.inner.map(({ name, description }) => [name, description])).toEqual([
    ['inner', 'On two lines.'],
    ['whole', 'As Kubernetes has it.'],
  ]);
  expect(group?.inner[1]).toMatchObject({ fallback: { a: 1 }, inner: [] });
  expect(none?.section).toBe('Second');
});

test('each value without a description is reported', () => {
  expect(() => readChartValues('a: 1\n# Told.\nb: 2\ngroup:\n  c: 3\n')).toThrow(
    'Values without a description in values.yaml: a, group.c',
  );
});

test('a file that is not YAML is rejected', () => {
  expect(() => readChartValues('a: [')).toThrow('values.yaml');
});
