import { expect, test } from 'vitest';
import { BodyMemory } from '../../../../src/api/limits/bodyMemory.ts';
import { Failure } from '../../../../src/domain/failure.ts';

test('A sender has only so much room; others have their own', async () => {
  const room = new BodyMemory(100, 10);
  const leave = await room.enter('a', 60);
  await expect(room.enter('a', 41)).rejects.toThrow(Failure);
  await room.enter('a', 40);
  await room.enter('b', 100);
  leave();
  await room.enter('a', 60);
});

test('Who finds no room waits, and is let in in turn', async () => {
  const room = new BodyMemory(100);
  const order: string[] = [];
  const leave = await room.enter('a', 80);
  const large = room.enter('a', 100).then((left) => {
    order.push('large');
    return left;
  });
  const small = room.enter('a', 10).then(() => order.push('small'));
  leave();
  (await large)();
  await small;
  expect(order).toEqual(['large', 'small']);
});

test('Who waited too long stands in nobody’s way', async () => {
  const room = new BodyMemory(100, 20);
  await room.enter('a', 50);
  const large = room.enter('a', 90);
  const small = room.enter('a', 50);
  await expect(large).rejects.toMatchObject({ status: 429 });
  await small;
});
