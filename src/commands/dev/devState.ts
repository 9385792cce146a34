import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { newSealingKey } from '../../lib/keyRing.ts';

/** The state that `tearsheet dev` keeps between starts, so that it prints the same key each time. The file has mode 0600. */
const DevState = z.object({
  database_password: z.string(),
  demo: z.object({ organization: z.string(), api_key: z.string(), webhook_secret: z.string() }).optional(),
  /** Seals the stored secrets, unless SECRETS_KEYS is set. */
  secrets_keys: z.string(),
  /** The port of the sample page at the last start. */
  sample_port: z.number().optional(),
});
export type DevState = z.infer<typeof DevState>;

export function readDevState(folder: string): DevState {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'dev.json');
  if (existsSync(file)) return DevState.parse(JSON.parse(readFileSync(file, 'utf8')));
  const state = { database_password: randomBytes(18).toString('base64url'), secrets_keys: newSealingKey('dev') };
  writeDevState(folder, state);
  return state;
}

export function writeDevState(folder: string, state: DevState): void {
  const file = path.join(folder, 'dev.json');
  // The rename is atomic. A start that is killed while writing must not lose the password of the database.
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
