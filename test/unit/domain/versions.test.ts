import { expect, test } from 'vitest';
import type { ScreenshotStatus, SetStatus } from '../../../src/domain/states.ts';
import { chooseVersion } from '../../../src/domain/versions.ts';

interface Given {
  readonly status?: ScreenshotStatus;
  readonly decision?: 'approved' | 'rejected' | null;
  readonly set?: SetStatus;
}

const version = (id: string, { status = 'uploaded', decision = null, set = 'approved' }: Given = {}) => ({
  ...{ id, status, decision, set_status: set },
});
const ids = (versions: readonly { id: string }[] = []) => versions.map(({ id }) => id);

test('the newest version with a picture is shown, and the others are its history', () => {
  const chosen = chooseVersion([version('c', { status: 'no_slots' }), version('b'), version('a')], { own: 'a' });
  expect([chosen?.shown.id, ids(chosen?.earlier)]).toEqual(['b', ['a']]);
});

test('a version that was never taken again shows itself', () => {
  const chosen = chooseVersion([version('a', { status: 'blocked' })], { own: 'a' });
  expect([chosen?.shown.id, ids(chosen?.earlier)]).toEqual(['a', []]);
});

test('an older version never replaces the version of a retake', () => {
  const chosen = chooseVersion([version('b', { status: 'blocked' }), version('a')], { own: 'b' });
  expect([chosen?.shown.id, ids(chosen?.earlier)]).toEqual(['b', ['a']]);
});

test.each([
  ['that is captured', { status: 'pending' }],
  ['that a reviewer rejected', { decision: 'rejected' }],
  ['of a rejected set', { set: 'rejected' }],
] as const)('a retake %s replaces nothing', (_what, given) => {
  expect(chooseVersion([version('b', given), version('a')], { own: 'a' })?.shown.id).toBe('a');
});

test.each([
  ['the rejected retake of a failure', [{ decision: 'rejected', set: 'rejected' }, { status: 'blocked' }], 'b'],
  ['the newest of two rejected pictures', [{ decision: 'rejected' }, { decision: 'rejected' }], 'b'],
  ['a failure whose retake failed too', [{ status: 'blocked' }, { status: 'blocked' }], 'a'],
] as const)('%s is shown', (_what, [retake, own], shown) => {
  expect(chooseVersion([version('b', retake), version('a', own)], { own: 'a' })?.shown.id).toBe(shown);
});
