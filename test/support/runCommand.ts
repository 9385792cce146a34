/** Runs a command of Tearsheet in this process, which saves the start of a program. */
import { vi } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings of the machine that would change the command. */
const UNSET = ['DATABASE_URL', 'SECRETS_KEYS', 'EGRESS_ALLOW'];

/** One command at a time, because all commands of a process share its environment and its output. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const before = { ...process.env };
  for (const name of UNSET) delete process.env[name];
  Object.assign(process.env, env);
  const printed = { stdout: '', stderr: '' };
  const line = (name: keyof typeof printed) => (text: unknown) => {
    printed[name] += `${String(text)}\n`;
  };
  const chunk = (name: keyof typeof printed) => (text: unknown) => {
    printed[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(line('stdout')),
    vi.spyOn(console, 'error').mockImplementation(line('stderr')),
    vi.spyOn(process.stdout, 'write').mockImplementation(chunk('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(chunk('stderr')),
  ];
  try {
    return { code: (await runProgram(args)) ?? 0, ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
