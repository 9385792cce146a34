import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { terminationLine, writeTerminationLog } from '../../../../src/capture/program/program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-termination-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('The termination message is one line of JSON', () => {
  const line = terminationLine({ exitCode: 40, message: 'A newer attempt\nhas taken "over".' });
  expect(line.trimEnd()).not.toContain('\n');
  expect(JSON.parse(line)).toEqual({ exit_code: 40, message: 'A newer attempt\nhas taken "over".' });
});

test.each([
  ['plain', 'x'],
  ['outside the basic plane', '😀'],
  ['escaped in JSON', '\u0001'],
])('A long message of %s characters is cut to the limit of the kubelet and stays valid JSON', (_, word) => {
  const line = terminationLine({ exitCode: 1, message: word.repeat(100_000) });
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4_096);
  expect(JSON.parse(line).message).toMatch(/…$/);
  expect(line.isWellFormed()).toBe(true);
});

test('The message is written into an existing file, and no file is created', async () => {
  const file = path.join(folder, 'termination-log');
  writeTerminationLog(file, { exitCode: 0, message: 'All work is done.' });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await writeFile(file, '');
  writeTerminationLog(file, { exitCode: 0, message: 'All work is done.' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ exit_code: 0, message: 'All work is done.' });
});

test('A file that cannot be written causes no error', () => {
  expect(() => writeTerminationLog(folder, { exitCode: 1, message: 'x' })).not.toThrow();
});
