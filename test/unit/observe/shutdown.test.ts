import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { gracefulShutdown, type ShutdownStep } from '../../../src/observe/shutdown.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
    this.emit('exited');
  }
  exited(): Promise<void> {
    return this.exits.length > 0 ? Promise.resolve() : new Promise((resolve) => this.once('exited', () => resolve()));
  }
}

function setUp(steps: (done: string[]) => ShutdownStep[]) {
  const signals = new FakeProcess();
  const done: string[] = [];
  const messages: string[] = [];
  const record = (...args: unknown[]) => messages.push(String(args.at(-1)));
  const log = { info: record, warn: record, error: record };
  const shutDown = gracefulShutdown({ log, unready: () => done.push('unready'), steps: steps(done), signals });
  return { signals, done, messages, shutDown };
}

const step = (name: string, run: ShutdownStep['run'], deadlineMs = 1_000): ShutdownStep => ({ name, run, deadlineMs });

describe('graceful shutdown', () => {
  it('SIGTERM makes the process unready, runs the steps in order and exits with 0', async () => {
    const { signals, done } = setUp((list) => [
      step('api', () => Promise.resolve().then(() => list.push('api'))),
      step('database', () => list.push('database')),
    ]);
    signals.emit('SIGTERM', 'SIGTERM');
    await signals.exited();
    expect(done).toEqual(['unready', 'api', 'database']);
    expect(signals.exits).toEqual([0]);
  });

  it('a step that fails or never ends does not stop the next ones, and the exit code is 1', async () => {
    const { signals, done, messages } = setUp((list) => [
      step('stuck', () => new Promise(() => undefined), 10),
      step('broken', () => {
        throw new Error('no');
      }),
      step('database', () => list.push('database')),
    ]);
    signals.emit('SIGINT', 'SIGINT');
    await signals.exited();
    expect(done).toEqual(['unready', 'database']);
    expect(signals.exits).toEqual([1]);
    expect(messages).toContain('shutdown step "stuck" failed');
    expect(messages).toContain('shutdown step "broken" failed');
  });

  it('a second signal exits at once', async () => {
    const { signals } = setUp(() => [step('stuck', () => new Promise(() => undefined), 60_000)]);
    signals.emit('SIGTERM', 'SIGTERM');
    signals.emit('SIGINT', 'SIGINT');
    await signals.exited();
    expect(signals.exits).toEqual([1]);
  });

  it('shutdown can be called without a signal, and runs once', async () => {
    const { shutDown, done, signals } = setUp((list) => [step('api', () => list.push('api'))]);
    expect(await Promise.all([shutDown(), shutDown()])).toEqual([0, 0]);
    expect(done).toEqual(['unready', 'api']);
    expect(signals.listenerCount('SIGTERM')).toBe(0);
  });
});
