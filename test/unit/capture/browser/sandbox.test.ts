import { expect, test } from 'vitest';
import { decideSandbox } from '../../../../src/capture/browser/sandbox.ts';

const possible = async () => true;
const impossible = async () => false;

test('The sandbox is used wherever the system lets it', async () => {
  expect(await decideSandbox('auto', possible)).toBe(true);
  expect(await decideSandbox('auto', impossible)).toBe(false);
});

test('Who requires the sandbox gets no browser without it', async () => {
  expect(await decideSandbox('required', possible)).toBe(true);
  await expect(decideSandbox('required', impossible)).rejects.toThrow('user namespaces');
});

test('Who wants no sandbox gets none, and nothing is asked of the system', async () => {
  const asked = () => Promise.reject(new Error('asked'));
  expect(await decideSandbox('off', asked)).toBe(false);
});
