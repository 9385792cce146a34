import { type Command, InvalidArgumentError, Option } from 'commander';
import { listKeyRows } from '../core/organizations/keyList.ts';
import { addKey, endKey } from '../core/organizations/operator.ts';
import { requireOrganization } from '../core/organizations/organizations.ts';
import { SCOPES, type Scope } from '../domain/keys.ts';
import { print, withStore } from './withStore.ts';

/** More than an organization ever has, with its revoked keys. */
const KEYS_LISTED = 1_000_000;

interface CreateOptions {
  readonly name?: string;
  readonly scope?: Scope[];
  readonly expires?: Date;
  readonly json?: boolean;
}

export function keyCommand(program: Command): void {
  const key = program.command('key').description('manage API keys: create, list, revoke');
  key
    .command('create <slug>')
    .description('create an API key and show it once')
    .option('--name <name>', 'the purpose of the key')
    .addOption(new Option('--scope <scope...>', 'the permissions of the key; all by default').choices(SCOPES))
    .option('--expires <time>', 'the time of expiry in ISO 8601; never by default', time)
    .option('--json', 'print one JSON line')
    .action((slug: string, { name, scope, expires, json = false }: CreateOptions) =>
      withStore(async (db) => {
        const options = { ...(name && { name }), ...(scope && { scopes: scope }), expiresAt: expires };
        print({ organization: slug, ...(await addKey(db, slug, options)) }, json);
      }),
    );
  key
    .command('list <slug>')
    .description('list the API keys of an organization without their secrets')
    .option('--json', 'print one JSON line for each key')
    .action((slug: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => {
        const { id: organizationId } = await requireOrganization(db, slug);
        const { rows } = await listKeyRows(db, { organizationId }, { page: 1, perPage: KEYS_LISTED });
        for (const row of rows) {
          if (json) print({ ...row }, true);
          else console.log(`${row.id}  ${keyState(row)}  ${row.scopes.join(',')}  ${row.name}`);
        }
      }),
    );
  key
    .command('revoke <slug> <id>')
    .description('revoke an API key at once; its id is the eight characters after ts_live_')
    .action((slug: string, id: string) => withStore((db) => endKey(db, slug, id)));
}

function keyState(row: { revoked_at: Date | null; expires_at: Date | null }): string {
  if (row.revoked_at !== null) return `revoked ${row.revoked_at.toISOString()}`;
  if (row.expires_at !== null)
    return `${row.expires_at.getTime() <= Date.now() ? 'expired' : 'expires'} ${row.expires_at.toISOString()}`;
  return 'live';
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('must be an ISO 8601 time, for example 2027-01-31T00:00:00Z.');
  if (date.getTime() <= Date.now())
    throw new InvalidArgumentError('The time is in the past, so the key would never work.');
  return date;
}
