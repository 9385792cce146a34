/** A PostgreSQL outside the cluster that can be backed up and restored. */
import { execFile } from 'node:child_process';
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { host } from './environment.ts';

export interface ExternalDatabase {
  /** The address that pods use. */
  readonly url: string;
  /** Takes a snapshot. Open connections are closed. */
  backUp(): Promise<void>;
  /** Restores the snapshot. Nothing may be connected. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const PASSWORD = 'trial';

export async function externalDatabase(): Promise<ExternalDatabase> {
  const parent = await mkdtemp(path.join(tmpdir(), 'tearsheet-e2e-postgres-'));
  const [folder, rules, port] = [
    path.join(parent, 'data'),
    path.join(tmpdir(), `${path.basename(parent)}.hba`),
    await freePort(),
  ];
  writeFileSync(rules, 'host all all 0.0.0.0/0 scram-sha-256\n');
  const start = () =>
    startEmbeddedPostgres({ folder, port, password: PASSWORD, settings: ['listen_addresses=*', `hba_file=${rules}`] });
  let server: EmbeddedPostgres = await start();
  const data = realpathSync(folder);
  const copy = `${data}.copy`;
  const replaced = async (from: string, to: string) => {
    await server.stop();
    rmSync(to, { recursive: true, force: true });
    await promisify(execFile)('cp', ['-a', from, to]);
    server = await start();
  };
  return {
    url: `postgres://postgres:${PASSWORD}@${host()}:${port}/tearsheet`,
    backUp: () => replaced(data, copy),
    restore: () => replaced(copy, data),
    close: async () => {
      await server.stop();
      for (const left of [parent, rules, data, copy]) await rm(left, { recursive: true, force: true });
    },
  };
}
