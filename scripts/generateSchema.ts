/** The types of the tables, as the migrations make them. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/commands/dev/embeddedPostgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { SCREENSHOT_STATUSES } from '../src/domain/states.ts';

/** Types that PostgreSQL does not know: the content of JSON, and texts without a check. Texts with a check need no entry. */
const KNOWN: Readonly<Record<string, string>> = {
  'ads.facts': 'CreativeFacts',
  'ads.metadata': 'Metadata',
  'ads.warnings': 'Warning[]',
  'audit_log.action': 'AuditAction',
  'audit_log.changes': 'FieldChange[]',
  'drafts.body': 'Record<string, unknown>',
  'events.topic': 'EventTopic',
  'exports.options': 'ExportOptions',
  'job_creatives.films': 'MadeFilm[]',
  'job_creatives.notes': 'string[]',
  'job_creatives.wanted': 'WantedFrame[]',
  'job_creatives.wanted_films': 'WantedFilm[]',
  'job_creatives.warnings': 'Warning[]',
  'notice_chats.notices': 'NoticeKind[]',
  'notice_choices.kind': 'NoticeKind',
  'notices.facts': 'NoticeFacts',
  'notices.kind': 'NoticeKind',
  'organizations.creative_check': 'CheckSettings',
  'organizations.language': 'Language',
  'placements.device': 'DeviceName',
  'placements.record': 'SlotsRecord',
  'placements.sizes': 'AdSize[]',
  'request_templates.body': 'TemplateBody',
  's3_connectors.storage_class': 'StorageClass',
  'schedules.rule': 'ScheduleRule',
  'screenshot_sets.metadata': 'Metadata',
  'screenshots.animation': 'StoredAnimation',
  'screenshots.device': 'DeviceName',
  'screenshots.options': 'OptionsJson',
  'screenshots.record': 'Record<string, unknown>',
  'screenshots.warnings': 'Warning[]',
  'site_lists.body': 'SiteListBody',
  'site_rules.body': 'SiteRuleBody',
  'organizations.plan_words': 'PlanWords',
  'uploads.format': 'UploadFormat',
  'users.language': 'Language',
};
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  '../contract/creativeCheck.ts': ['CheckSettings'],
  '../contract/creativeFacts.ts': ['CreativeFacts'],
  '../contract/placements.ts': ['SlotsRecord'],
  '../contract/savedObjects.ts': ['SiteListBody', 'TemplateBody'],
  '../contract/siteRules.ts': ['SiteRuleBody'],
  '../contract/storedOptions.ts': ['OptionsJson'],
  '../domain/ads.ts': ['AdSize'],
  '../domain/animations.ts': ['MadeFilm', 'StoredAnimation', 'WantedFilm'],
  '../domain/auditLog.ts': ['AuditAction', 'FieldChange'],
  '../domain/batches.ts': ['WantedFrame'],
  '../domain/connectors.ts': ['StorageClass'],
  '../domain/devices.ts': ['DeviceName'],
  '../domain/exports.ts': ['ExportOptions'],
  '../domain/mediaPlans.ts': ['PlanWords'],
  '../domain/metadata.ts': ['Metadata'],
  '../domain/notices.ts': ['NoticeFacts', 'NoticeKind'],
  '../domain/schedules.ts': ['ScheduleRule'],
  '../domain/states.ts': ['ScreenshotStatus'],
  '../domain/texts/languages.ts': ['Language'],
  '../domain/topics.ts': ['EventTopic'],
  '../domain/uploads.ts': ['UploadFormat'],
  '../domain/warnings.ts': ['Warning'],
};
/** The type of each PostgreSQL type, as the driver returns it. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'Numeric',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Time',
  'double precision': 'number',
  integer: 'number',
  numeric: 'Numeric',
  text: 'string',
  'text[]': 'string[]',
  'uuid[]': 'string[]',
  'timestamp with time zone': 'Time',
  tsvector: 'string',
  uuid: 'string',
};
const HEAD = `
type Time = ColumnType<Date, Date | string, Date | string>;
/** Arrives as a string, because a number of JavaScript may be too small for it. */
type Numeric = ColumnType<string, number | string, number | string>;
type Json<T> = ColumnType<T, string, string>;
type Nullable<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S | null, I | null, U | null> : T | null;
/** A column that the database fills if an insert does not. */
type Filled<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S, I | undefined, U> : Generated<T>;
`;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly is_nullable: boolean;
  readonly has_default: boolean;
  /** The definition of its check, if a check on it alone lists its values. */
  readonly values: string | null;
}

const COLUMNS = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as is_nullable,
    a.atthasdef or a.attidentity <> '' as has_default,
    (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
      and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%' limit 1) as values
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
    -- Only the version before uses request_drafts.
    and c.relname not in ('schema_migrations', 'request_drafts')
  order by c.relname, a.attnum`;

/** @param url a migrated database. @returns src/db/schema.ts. */
export async function generateSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Column>(COLUMNS);
  await client.end();
  const tables = Map.groupBy(rows, ({ table }) => table);
  const text = [
    '/** The tables as kysely sees them. `make generate` writes this file from `migrations/`. */',
    `import type { ColumnType, Generated } from 'kysely';`,
    ...Object.entries(IMPORTS).map(([file, names]) => `import type { ${names.join(', ')} } from '${file}';`),
    HEAD,
    'export interface Schema {',
    ...[...tables].map(([table, columns]) => `${table}: {\n${columns.map(columnLine).join('\n')}\n};`),
    '}',
  ];
  return format(text.join('\n'));
}

function columnLine({ table, name, type, is_nullable, has_default, values }: Column): string {
  const known = KNOWN[`${table}.${name}`];
  const listed =
    values === null ? undefined : unionOf([...values.matchAll(/'([^']*)'::text/g)].map(([, one = '']) => one));
  const plain = type === 'jsonb' && known !== undefined ? `Json<${known}>` : (known ?? listed ?? TYPES[type]);
  if (plain === undefined) throw new Error(`generateSchema.ts has no type for ${table}.${name} (${type}).`);
  if (is_nullable) return `${name}: Nullable<${plain}>;`;
  return has_default ? `${name}: Filled<${plain}>;` : `${name}: ${plain};`;
}

/** The long list of statuses has a name in the domain, if it is the same. */
function unionOf(values: readonly string[]): string {
  const isNamed = [...values].sort().join() === [...SCREENSHOT_STATUSES].sort().join();
  return isNamed ? 'ScreenshotStatus' : values.map((value) => `'${value}'`).join(' | ');
}

/** The same from a PostgreSQL that runs only as long. */
export async function generateSchemaAlone(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-schema-'));
  const server = await startEmbeddedPostgres({ folder, password: randomUUID() });
  try {
    await migrate(server.url);
    return await generateSchema(server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function format(text: string): string {
  const biome = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=src/db/schema.ts'], {
    input: text,
    encoding: 'utf8',
  });
}
