import { expect, test } from 'vitest';
import { BodyMemory } from '../../../../src/api/limits/bodyMemory.ts';
import { Failure } from '../../../../src/domain/failure.ts';

test('each sender has its own limit', async () => {
  const memory = new BodyMemory(100, 10);
  const release = await memory.acquire('a', 60);
  await expect(memory.acquire('a', 41)).rejects.toThrow(Failure);
  await memory.acquire('a', 40);
  await memory.acquire('b', 100);
  release();
  await memory.acquire('a', 60);
});

test('bodies over the limit wait and are admitted in order of arrival', async () => {
  const memory = new BodyMemory(100);
  const order: string[] = [];
  const release = await memory.acquire('a', 80);
  const large = memory.acquire('a', 100).then((releaseLarge) => {
    order.push('large');
    return releaseLarge;
  });
  const small = memory.acquire('a', 10).then(() => order.push('small'));
  release();
  (await large)();
  await small;
  expect(order).toEqual(['large', 'small']);
});

test('a body that waited too long does not block the next one', async () => {
  const memory = new BodyMemory(100, 20);
  await memory.acquire('a', 50);
  const large = memory.acquire('a', 90);
  const small = memory.acquire('a', 50);
  await expect(large).rejects.toMatchObject({ status: 429 });
  await small;
});
