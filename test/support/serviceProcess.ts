/** `tearsheet api`, `controller` or another command as a process of its own, run from its source. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { type LogLine, noteErrors } from './testLog.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export interface ServiceProcess {
  readonly pid: number;
  /** The exit code; null: it was ended by a signal. */
  readonly ended: Promise<number | null>;
  /** All that it printed so far, both outputs. */
  output(): string;
  /** Its log lines so far. */
  lines(): LogLine[];
  /** Waits for a line of its log. @throws with all it said, when it ends before. */
  says(message: string): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
}

export function startService(args: readonly string[], env: Readonly<Record<string, string>>): ServiceProcess {
  const { NODE_OPTIONS: _, RATE_LIMIT_PER_SECOND: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...inherited, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      noteErrors(lines());
      resolve(code);
    }),
  );
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => text,
    lines,
    says: (message) =>
      eventually(() => {
        const line = lines().find(({ msg }) => msg === message);
        if (line === undefined) throw new Error(`It has not said "${message}" (exit code ${child.exitCode}): ${text}`);
        return line;
      }),
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    },
  };
}
