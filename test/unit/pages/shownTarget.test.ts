import { expect, it } from 'vitest';
import { shownTarget } from '../../../src/pages/deliveries/deliveryListPage.ts';

it.each([
  ['https://you.example/hook?key=1', 'https://you.example/hook?…'],
  [
    'https://chat.example/services/T00000000/B0000/abcdEFGH1234ijklMNOP',
    'https://chat.example/services/T00000000/B0000/abcd…',
  ],
  ['https://you.example/a-long-but-readable-name', 'https://you.example/a-long-but-readable-name'],
  ['s3://bucket/prefix', 's3://bucket/prefix'],
])('the target %s is shown as %s', (target, shown) => {
  expect(shownTarget(target)).toBe(shown);
});
