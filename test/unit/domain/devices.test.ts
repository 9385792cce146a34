import { expect, test } from 'vitest';
import { Faults } from '../../../src/contract/faults.ts';
import { deviceRecord } from '../../../src/contract/records.ts';
import { device } from '../../../src/contract/requests.ts';
import {
  COMMON_DEVICES,
  DEVICES,
  describeDevice,
  deviceMeant,
  findDevice,
  shortDevice,
  userAgentOf,
} from '../../../src/domain/devices.ts';
import { required } from '../../support/required.ts';

const read = (given: unknown) => {
  const faults = new Faults();
  const parsed = faults.read(device, given, 'device');
  return faults.any ? faults.errors : parsed?.name;
};

test.each([
  [{ name: 'iphone' }, 'iphone'],
  [{ name: 'iphone', width: null, height: null }, 'iphone'],
  [{ width: 412, height: 915 }, 'Own device 412 x 915, 1x, touch'],
  [{ name: 'ignored', width: 1280, height: 800, ratio: 1.255 }, 'Own device 1280 x 800, 1.25x'],
  [{ width: 800, height: 600, touch: false, user_agent: 'Test/1.0' }, 'Own device 800 x 600, 1x, Test/1.0'],
])('the device %j is stored as %s', (given, name) => {
  expect(read(given)).toBe(name);
});

test.each([
  [{}, 'name', 'is required: one of desktop'],
  [{ name: 'Desktop' }, 'name', 'must be one of: desktop'],
  [{ width: 412 }, 'height', 'is required with the other side of the screen.'],
  [{ width: 199, height: 4321 }, 'width', 'must be from 200 to 3,840.'],
  [{ width: 199, height: 4321 }, 'height', 'must be from 200 to 4,320.'],
  [{ width: 412.5, height: 915 }, 'width', 'must be a whole number'],
  [{ width: 412, height: 915, ratio: 4.004 }, 'ratio', 'must be from 1 to 4.'],
  [{ width: 1920, height: 1200, ratio: 2 }, 'ratio', 'makes a screen of 9,216,000 device pixels'],
  [{ width: 412, height: 915, user_agent: ' ' }, 'user_agent', 'must have 1 to 500 characters'],
  [{ width: 412, height: 915, user_agent: 'a\nb' }, 'user_agent', 'must have only printable ASCII characters.'],
])('the device %j has a fault in %s', (given, field, message) => {
  expect(read(given)).toHaveProperty([`device.${field}`], [expect.stringContaining(message)]);
});

test('a custom device is found by its name, with a user agent for its size', () => {
  const phone = required(findDevice('Own device 412 x 915, 2.63x, touch'));
  expect(phone).toMatchObject({ viewport: { width: 412, height: 915 }, ratio: 2.63, touch: true });
  expect(userAgentOf(phone, '156.0.1.2')).toContain('Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156');
  expect(userAgentOf(required(findDevice('Own device 412 x 915, 1x, Bot, or so')), '156')).toBe('Bot, or so');
  expect(findDevice('Own device 1 x 915, 1x')).toBeUndefined();
});

test('the record of a custom device has its fields, and that of a named one only the name', () => {
  expect(deviceRecord('ipad')).toEqual({ name: 'ipad' });
  const name = 'Own device 412 x 915, 2.63x, touch, Test/1.0';
  const fields = { width: 412, height: 915, ratio: 2.63, touch: true, user_agent: 'Test/1.0' };
  expect(deviceRecord(name)).toEqual({ name, ...fields });
  expect(read(deviceRecord(name))).toBe(name);
  expect([shortDevice(name), shortDevice('mobile'), shortDevice('Google Pixel 9')]).toEqual([
    'Own device 412 x 915',
    'Android phone',
    'Google Pixel 9',
  ]);
});

test.each([
  ['Desktop', 'desktop'],
  ['Mobile phone', 'mobile'],
  ['iPhone 14', 'iphone'],
  ['iphone 14 pro max', 'Apple iPhone 14 Pro Max'],
  ['Google Pixel 9', 'Google Pixel 9'],
  ['Handy', 'mobile'],
  ['1440x900', 'desktop'],
  ['360 × 800', 'mobile'],
  ['1600x900', 'Own device 1600 x 900, 1x'],
  ['412x915@2.63', 'Own device 412 x 915, 2.63x, touch'],
  ['100x100', undefined],
  ['Fridge', undefined],
])('a person who writes %s means %s', (text, name) => {
  expect(deviceMeant(text)?.name).toBe(name);
});

test('every device of the table stores its ratio exactly, and the common ones have an explanation', () => {
  for (const { ratio } of DEVICES) expect(Math.round(ratio * 100) / 100).toBe(ratio);
  const common = DEVICES.filter(({ name }) => COMMON_DEVICES.has(name));
  expect(common.map(describeDevice)[1]).toBe('A common Android phone, 360 x 800');
  expect(common).toHaveLength(COMMON_DEVICES.size);
});
