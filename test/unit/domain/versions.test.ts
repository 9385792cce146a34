import { expect, test } from 'vitest';
import type { ScreenshotStatus, SetStatus } from '../../../src/domain/states.ts';
import { chooseVersion, sharedVersion } from '../../../src/domain/versions.ts';

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

test('for other people, only an approved retake replaces a picture', () => {
  const versions = [version('b', { set: 'in_review' }), version('a')];
  expect(chooseVersion(versions, { own: 'a' })?.shown.id).toBe('b');
  expect(chooseVersion(versions, { own: 'a', approvedOnly: true })?.shown.id).toBe('a');
  const approved = [version('b', { set: 'in_review', decision: 'approved' }), version('a')];
  expect(chooseVersion(approved, { own: 'a', approvedOnly: true })?.shown.id).toBe('b');
});

test.each([
  ['an undecided picture of a set in review', { set: 'in_review' }, true, false],
  ['an approved picture of a set in review', { set: 'in_review', decision: 'approved' }, true, true],
  ['an undecided picture of an approved set', {}, true, true],
  ['a rejected picture', { decision: 'rejected' }, false, false],
  ['an approved picture of a rejected set', { set: 'rejected', decision: 'approved' }, false, false],
  ['a screenshot without a picture', { status: 'no_slots' }, false, false],
] as const)('a link to all pictures, and one to approved ones, may show %s', (_what, given, inAll, inApproved) => {
  const shows = (pictures: 'all' | 'approved') => sharedVersion([version('a', given)], { own: 'a', pictures })?.id;
  expect([shows('all'), shows('approved')]).toEqual([inAll ? 'a' : undefined, inApproved ? 'a' : undefined]);
});

test('a link shows no retake of a picture in a rejected set', () => {
  const versions = [version('b', { decision: 'approved' }), version('a', { set: 'rejected' })];
  expect(sharedVersion(versions, { own: 'a', pictures: 'all' })).toBeUndefined();
});
