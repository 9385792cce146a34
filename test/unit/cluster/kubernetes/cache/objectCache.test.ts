import { beforeEach, expect, test } from 'vitest';
import {
  type CachedObject,
  ObjectCache,
  type ObjectChange,
} from '../../../../../src/cluster/kubernetes/cache/objectCache.ts';

let changes: string[];
let store: ObjectCache<CachedObject>;

const thing = (name: string, version: number, uid = `uid-${name}`): CachedObject => ({
  ...{ name, uid },
  version: String(version),
});
const word = ({ before, after }: ObjectChange<CachedObject>) =>
  before === undefined
    ? `+${after?.uid}@${after?.version}`
    : after === undefined
      ? `-${before.uid}`
      : `${after.uid}@${after.version}`;

beforeEach(() => {
  changes = [];
  store = new ObjectCache<CachedObject>({ changed: (change) => changes.push(word(change)) });
});

test('the cache contains the list and the later events', () => {
  store.replace([thing('a', 3), thing('b', 5)], '7');
  store.apply('ADDED', thing('c', 8));
  store.apply('MODIFIED', thing('a', 9));
  store.apply('DELETED', thing('b', 10));
  expect(changes).toEqual(['+uid-a@3', '+uid-b@5', '+uid-c@8', 'uid-a@9', '-uid-b']);
  expect(store.all().map(({ name }) => name)).toEqual(['a', 'c']);
});

test('an event that comes twice or late changes nothing', () => {
  store.replace([thing('a', 3)], '7');
  const events: [type: 'ADDED' | 'MODIFIED' | 'DELETED', object: CachedObject][] = [
    ['MODIFIED', thing('a', 9)],
    ['DELETED', thing('a', 12)],
  ];
  for (const [type, object] of events) store.apply(type, object);
  changes.length = 0;
  for (const [type, object] of [...events, ['ADDED', thing('a', 3)] as const, ['MODIFIED', thing('b', 11)] as const])
    store.apply(type, object);
  expect(changes).toEqual([]);
  expect(store.size).toBe(0);
});

test('an object that was deleted and created again is reported as a deletion and an addition', () => {
  store.replace([thing('a', 3, 'first')], '4');
  store.replace([thing('a', 6, 'second')], '7');
  store.apply('MODIFIED', thing('a', 8, 'third'));
  expect(changes).toEqual(['+first@3', '-first', '+second@6', '-second', '+third@8']);
});

test('the late deletion of an object leaves its successor of the same name', () => {
  store.replace([thing('a', 6, 'second')], '7');
  store.apply('DELETED', thing('a', 8, 'first'));
  expect(store.get('a')?.uid).toBe('second');
});

test('a list removes missing objects and reports no unchanged ones', () => {
  store.replace([thing('a', 3), thing('b', 3)], '4');
  changes.length = 0;
  store.replace([thing('a', 3)], '9');
  expect(changes).toEqual(['-uid-b']);
});

test('the answer to a write is in the cache at once and reported once', () => {
  store.replace([], '4');
  store.addWritten(thing('a', 6));
  expect(store.get('a')).toMatchObject({ version: '6' });
  store.apply('ADDED', thing('a', 6));
  store.apply('MODIFIED', thing('a', 7));
  expect(changes).toEqual(['+uid-a@6', 'uid-a@7']);
});

test('an answer that arrives after the deletion does not restore the object', () => {
  store.replace([], '4');
  store.apply('ADDED', thing('a', 6));
  store.apply('DELETED', thing('a', 8));
  store.addWritten(thing('a', 6));
  expect(store.get('a')).toBeUndefined();
});

test('an older event does not replace the answer to a write', () => {
  store.replace([thing('a', 3)], '4');
  store.addWritten(thing('a', 9));
  store.apply('MODIFIED', thing('a', 6));
  expect(store.get('a')?.version).toBe('9');
});

test('a list from before a write does not remove the written object', () => {
  store.addWritten(thing('a', 9));
  store.replace([], '7');
  expect(store.get('a')?.version).toBe('9');
  store.replace([], '11');
  expect(store.get('a')).toBeUndefined();
});

test('an object that we deleted does not return with an older event or list', () => {
  store.replace([thing('a', 3)], '4');
  store.markDeleted({ name: 'a', uid: 'uid-a' });
  store.apply('MODIFIED', thing('a', 6));
  store.replace([thing('a', 6)], '7');
  expect(store.get('a')).toBeUndefined();
  store.apply('DELETED', thing('a', 8));
  expect(changes).toEqual(['+uid-a@3', '-uid-a']);
  store.apply('ADDED', thing('a', 9, 'other'));
  expect(store.get('a')?.uid).toBe('other');
});

test('marking an object as deleted leaves its successor of the same name', () => {
  store.replace([thing('a', 6, 'second')], '7');
  store.markDeleted({ name: 'a', uid: 'first' });
  expect(store.get('a')?.uid).toBe('second');
});

test('versions are compared as numbers of any length', () => {
  store.replace([thing('a', 99)], '99');
  store.apply('MODIFIED', { ...thing('a', 0), version: '100' });
  store.apply('MODIFIED', { ...thing('a', 0), version: '98765432109876543210' });
  store.apply('MODIFIED', { ...thing('a', 0), version: '98765432109876543209' });
  expect(store.get('a')?.version).toBe('98765432109876543210');
});
