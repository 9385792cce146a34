import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** What `tearsheet dev` keeps between starts, so that it prints the same key each time. Mode 0600. */
const DevState = z.object({
  database_password: z.string(),
  demo: z.object({ organization: z.string(), api_key: z.string(), webhook_secret: z.string() }).optional(),
});
export type DevState = z.infer<typeof DevState>;

export function readDevState(folder: string): DevState {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'dev.json');
  if (existsSync(file)) return DevState.parse(JSON.parse(readFileSync(file, 'utf8')));
  const state: DevState = { database_password: randomBytes(18).toString('base64url') };
  writeDevState(folder, state);
  return state;
}

export function writeDevState(folder: string, state: DevState): void {
  const file = path.join(folder, 'dev.json');
  // Renamed when it is whole: without the password in it the data would be lost to a start that was killed.
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
