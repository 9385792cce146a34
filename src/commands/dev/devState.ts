import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { addKey, addOrganization } from '../../core/organizations/operator.ts';
import { findOrganization, requireOrganization, webhookSecretOf } from '../../core/organizations/organizations.ts';
import { addMember } from '../../core/people/members.ts';
import { findUserByEmail, insertUser } from '../../core/people/users.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { OPERATOR } from '../../domain/auditLog.ts';
import { newSealingKey } from '../../lib/keyRing.ts';

const ORGANIZATION = 'demo';

/** The state that `tearsheet dev` keeps between starts, so that it prints the same key each time. The file has mode 0600. */
const DevState = z.object({
  database_password: z.string(),
  demo: z.object({ organization: z.string(), api_key: z.string(), webhook_secret: z.string() }).optional(),
  /** Seals the stored secrets, unless SECRETS_KEYS is set. */
  secrets_keys: z.string(),
  /** For the operator's commands on the running service: DATABASE_URL and the other addresses, by the name of the setting. */
  settings: z.record(z.string(), z.string()).optional(),
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

/**
 * @returns the settings with which an operator's command uses the `tearsheet dev` that runs on this folder.
 * @throws Error if none runs there.
 */
export async function devSettings(folder: string): Promise<Readonly<Record<string, string>>> {
  const { settings, secrets_keys: SECRETS_KEYS } = existsSync(path.join(folder, 'dev.json'))
    ? readDevState(folder)
    : { secrets_keys: '' };
  if (settings === undefined || !(await isLocked(folder)))
    throw new Error(`No tearsheet dev is running on ${folder}. Start it, or pass its folder with --data DIR.`);
  return { SECRETS_KEYS, ...settings };
}

export function writeDevState(folder: string, state: DevState): void {
  const file = path.join(folder, 'dev.json');
  // The rename is atomic. A start that is killed while writing must not lose the password of the database.
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Locks a data folder until this process exits. The lock is an abstract socket, which the kernel frees even after a crash.
 * On systems other than Linux there is only PostgreSQL's own lock.
 * @throws Error if another process holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined;
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? inUse(folder) : error));
    server.listen(`\0tearsheet-${id}`, resolve);
  });
  server.unref();
  return () => server.close();
}

/** Without locks, PostgreSQL says whether it runs. */
async function isLocked(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  try {
    (await lockFolder(folder))();
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}

class FolderInUseError extends Error {}

function inUse(folder: string): Error {
  return new FolderInUseError(`Another tearsheet dev uses ${folder}. Stop it, or use another folder with --data DIR.`);
}

/** Creates the organization at the first start. The data folder keeps its key, so that each start prints the same key. */
export async function ensureDemoOrganization(
  db: Database,
  { folder, state }: { folder: string; state: DevState },
): Promise<NonNullable<DevState['demo']>> {
  const organization = await findOrganization(db, ORGANIZATION);
  // The webhook secret may have been rotated since the last start.
  if (organization !== undefined && state.demo !== undefined) {
    writeDevState(folder, state);
    return { ...state.demo, webhook_secret: webhookSecretOf(db, organization) };
  }
  const demo =
    organization === undefined
      ? await addOrganization(db, ORGANIZATION)
      : await createReplacementKey(db, webhookSecretOf(db, organization));
  writeDevState(folder, { ...state, demo: { ...demo } });
  return demo;
}

const SAMPLE_PERSON = { email: 'sam@example.com', name: 'Sam Sample' };

/** Makes a person who is an owner of the organization, so that pages show what they did by name. @returns the id. */
export async function ensureSamplePerson(tx: Queryable, slug: string): Promise<string> {
  const { id: organizationId } = await requireOrganization(tx, slug);
  const userId = (await findUserByEmail(tx, SAMPLE_PERSON.email))?.id ?? (await insertUser(tx, SAMPLE_PERSON));
  await addMember(tx, { organizationId, userId, role: 'owner' }, OPERATOR);
  return userId;
}

/** Creates another key if a start was killed after it created the organization and before it stored the key. */
async function createReplacementKey(db: Database, webhook_secret: string): Promise<NonNullable<DevState['demo']>> {
  const { api_key } = await addKey(db, ORGANIZATION, { name: 'tearsheet dev' });
  return { organization: ORGANIZATION, api_key, webhook_secret };
}
