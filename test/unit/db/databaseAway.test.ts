import { expect, test } from 'vitest';
import { isDatabaseAway, lostConnectionTo, whenDatabaseAnswers } from '../../../src/db/databaseAway.ts';

const coded = (code: string) => Object.assign(new Error(`error ${code}`), { code });

test.each(['ECONNREFUSED', 'EHOSTUNREACH', '57P01', '57P03', '53300', '08006', '40001'])(
  '%s means that the database does not answer',
  (code) => expect(isDatabaseAway(coded(code))).toBe(true),
);

test('an ended connection without a code means that the database does not answer', () => {
  expect(isDatabaseAway(new Error('Connection terminated unexpectedly'))).toBe(true);
});

test('a refused connection to another server is not a lost database', () => {
  const isLost = lostConnectionTo('postgres://u:p@db.example:5433/tearsheet');
  const refused = (more: object) => Object.assign(coded('ECONNREFUSED'), more);
  expect([isLost(refused({ port: 5433 })), isLost(coded('57P01')), isLost(refused({}))]).toEqual([true, true, true]);
  expect([isLost(refused({ port: 9000 })), isLost(refused({ $metadata: {} }))]).toEqual([false, false]);
});

test.each(['28P01', '42P01', '23505'])('%s is an answer of the database', (code) =>
  expect(isDatabaseAway(coded(code))).toBe(false),
);

function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'answer';
  };
}

test('the work is repeated until the database answers', async () => {
  const waits: unknown[] = [];
  const act = failing(coded('57P03'), coded('3D000'));
  expect(await whenDatabaseAnswers(act, { seconds: 60, onWait: (error) => waits.push(error) })).toBe('answer');
  expect(waits).toEqual([coded('57P03'), coded('3D000')]);
});

test('another error ends the wait at once', async () => {
  await expect(whenDatabaseAnswers(failing(coded('28P01')), { seconds: 60 })).rejects.toThrow('error 28P01');
});

test('after the time has passed the error of the database is thrown', async () => {
  await expect(whenDatabaseAnswers(failing(coded('ECONNREFUSED')), { seconds: 0 })).rejects.toThrow('ECONNREFUSED');
});
