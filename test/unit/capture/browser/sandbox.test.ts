import { expect, test } from 'vitest';
import { decideSandbox } from '../../../../src/capture/browser/chromium.ts';

const possible = async () => true;
const impossible = async () => false;

test('The mode auto uses the sandbox if the system allows it', async () => {
  expect(await decideSandbox('auto', possible)).toBe(true);
  expect(await decideSandbox('auto', impossible)).toBe(false);
});

test('The mode required starts no browser without the sandbox', async () => {
  expect(await decideSandbox('required', possible)).toBe(true);
  await expect(decideSandbox('required', impossible)).rejects.toThrow('user namespaces');
});

test('The mode off uses no sandbox and does not probe the system', async () => {
  const asked = () => Promise.reject(new Error('asked'));
  expect(await decideSandbox('off', asked)).toBe(false);
});
