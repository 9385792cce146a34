/** The bundle of `tearsheet diagnose`: what a person who helps asks for first. Secrets are left out by naming what may be in it. */
import { readdir } from 'node:fs/promises';
import querystring from 'node:querystring';
import type { ClusterSummary } from '../../cluster/kubernetes/jobs/summary.ts';
import { SETTINGS, type SettingName } from '../../config.ts';
import { DATABASE_STATE } from '../../core/operations/databaseState.ts';
import type { Database } from '../../db/database.ts';
import { MIGRATIONS } from '../../db/migrate.ts';
import { errorMessage, errorName } from '../../lib/errorMessage.ts';
import { runSections, type Section, type SectionResult } from '../sections.ts';
import { version } from '../version.ts';
import { plainWords } from './plainWords.ts';

/** Numbers, flags and names of objects. All other settings show only whether they are set. */
const SHOWN: readonly SettingName[] = [
  ...(['DATABASE_POOL_SIZE', 'S3_FORCE_PATH_STYLE', 'S3_REGION', 'PORT', 'INTERNAL_PORT', 'METRICS_PORT'] as const),
  ...(['RATE_LIMIT_PER_SECOND', 'SET_RETENTION_DAYS', 'AUDIT_LOG_RETENTION_DAYS', 'MAX_PODS'] as const),
  ...(['MAX_PODS_PER_ORGANIZATION', 'PICTURES_PER_DAY', 'CAPTURE_PARALLELISM', 'CAPTURE_RETRIES'] as const),
  ...(['CAPTURE_POD_DEADLINE_SECONDS', 'SET_DEADLINE_SECONDS', 'SCHEDULING_DEADLINE_SECONDS'] as const),
  ...(['NAMESPACE', 'LEASE_NAME', 'READ_NODES', 'CHROMIUM_SANDBOX', 'NAVIGATION_TIMEOUT_MS', 'LOG_LEVEL'] as const),
];
const SECTION_MS = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface BundleSources {
  readonly env: Environment;
  readonly db: () => Promise<Database>;
  /** Undefined if captures do not run on Kubernetes. */
  readonly cluster: (() => Promise<ClusterSummary>) | undefined;
  readonly checkArtifacts: Section;
  readonly sectionMs?: number;
}

/** @returns each section with its value, or with the reason why it could not be read. */
export async function diagnose(sources: BundleSources): Promise<Record<string, unknown>> {
  const { env, db, cluster, checkArtifacts, sectionMs = SECTION_MS } = sources;
  const database = Object.entries(DATABASE_STATE).map(([name, read]) => [name, async () => read(await db())] as const);
  const results = await runSections(
    {
      versions: async () => ({
        tearsheet: version(),
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
      }),
      settings: async () => describeSettings(env),
      ...Object.fromEntries(database),
      known_migrations: async () => (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort(),
      artifacts: async () => {
        await checkArtifacts();
        return 'ok';
      },
      cluster: async () => (cluster === undefined ? 'captures run on this machine' : cluster()),
    },
    sectionMs,
  );
  const own = secretsOf(env);
  const sections = Object.entries(results).map(([name, result]) => [name, describeResult(result, own)]);
  return { made_at: new Date().toISOString(), ...Object.fromEntries(sections) };
}

function describeSettings(env: Environment): Record<string, string> {
  const shown = new Set<string>(SHOWN);
  return Object.fromEntries(
    Object.keys(SETTINGS).map((name) => {
      const value = env[name] ?? '';
      return [name, value === '' ? 'default' : shown.has(name) && plainWords(value) === value ? value : '(set)'];
    }),
  );
}

/** @returns the values of settings that are not shown, and the parts of those that are addresses. */
function secretsOf(env: Environment): readonly string[] {
  const hidden = Object.keys(SETTINGS).flatMap((name) =>
    SHOWN.some((shown) => shown === name) ? [] : (env[name] ?? []),
  );
  const addresses = hidden.map((value) => URL.parse(value)).filter((url) => url !== null);
  const parts = addresses.flatMap(({ username, password, hostname }) =>
    [username, password, hostname].map((part) => querystring.unescape(part)),
  );
  return [...hidden, ...parts].filter((value) => value.length >= SECRET_MIN);
}

/** A shorter text is no secret, and any word may contain it. */
const SECRET_MIN = 4;

const withoutOwn = (text: string, own: readonly string[]): string =>
  own.reduce((left, secret) => left.replaceAll(secret, '…'), text);

function describeResult(result: SectionResult, own: readonly string[]): unknown {
  if ('value' in result) return withPlainProblems(result.value, own);
  const { error } = result;
  const { code } = error instanceof Error && 'code' in error ? error : { code: undefined };
  const words = `${errorName(error)}${code === undefined ? '' : ` ${String(code)}`}: ${errorMessage(error)}`;
  return { failed: plainWords(withoutOwn(words, own)) };
}

/** `problem` is the only field that has words of others, such as the API server. */
function withPlainProblems(value: unknown, own: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((inner) => withPlainProblems(inner, own));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'problem' && typeof inner === 'string'
        ? plainWords(withoutOwn(inner, own))
        : withPlainProblems(inner, own),
    ]),
  );
}
