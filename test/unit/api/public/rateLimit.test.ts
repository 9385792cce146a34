import express from 'express';
import { expect, test } from 'vitest';
import { limitRequests } from '../../../../src/api/public/rateLimit.ts';

/** A response that is never sent: only its headers matter. */
const response = () => Object.create(express.response, { set: { value: () => undefined } });

test('tokens refill at their rate up to the burst', () => {
  let now = 0;
  const limitRate = limitRequests({ perSecond: 2, burst: 4 }, () => now);
  const take = () => {
    try {
      limitRate('key', response());
      return true;
    } catch {
      return false;
    }
  };
  const takeAll = () => Array.from({ length: 10 }, take).filter(Boolean).length;
  expect(takeAll()).toBe(4);
  now += 499;
  expect(takeAll()).toBe(0);
  now += 1;
  expect(takeAll()).toBe(1);
  now += 1_000;
  expect(takeAll()).toBe(2);
  now += 3_600_000;
  expect(takeAll()).toBe(4);
});
