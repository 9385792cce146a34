import { expect, it } from 'vitest';
import { CreativeOutcomes } from '../../../../src/capture/engine/creativeOutcomes.ts';

const failed = (reason: string) => ({ status: 'failed', reason }) as const;

it('waitForFirst returns the first resolved ad as soon as there is one', async () => {
  const board = new CreativeOutcomes();
  const first = board.waitForFirst(['a', 'b'], new AbortController().signal);
  board.resolve('c', failed('not asked for'));
  board.resolve('b', failed('gone'));
  expect(await first).toEqual(['b', failed('gone')]);
});

it('only the first outcome of an ad counts', () => {
  const board = new CreativeOutcomes();
  board.resolve('a', failed('one'));
  board.resolve('a', failed('two'));
  expect(board.get('a')).toEqual(failed('one'));
  expect(board.unresolved(['a', 'b'])).toEqual(['b']);
});

it('a wait ends when its signal aborts', async () => {
  const stop = new AbortController();
  const waiting = new CreativeOutcomes().waitForFirst(['a'], stop.signal);
  stop.abort(new Error('stopped by the test'));
  await expect(waiting).rejects.toThrow('stopped by the test');
});
