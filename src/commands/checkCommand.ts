import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { ArtifactStore } from '../artifacts/store.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import { type Section, type SectionResult, SkippedError } from './sections.ts';

const CHECK_MS = 30_000;
const PROGRESS_EACH = 10_000;

interface CheckFlags {
  readonly files?: boolean;
  readonly withoutPods?: boolean;
  readonly strict?: boolean;
}

export function checkCommand(program: Command): void {
  program
    .command('check')
    .description(
      'check database, artifact store, mail server, sign-in, locations and, by a dry run on the cluster, the pods of captures; `helm test` runs it',
    )
    .option(
      '--files',
      'also look up each file that the database names in the artifact store, and list those that are missing',
    )
    .option('--without-pods', 'try the Job of captures, but not its pods, which takes the right to create pods')
    .option('--strict', 'fail if a check is skipped because this process lacks a setting or a file for it')
    .action(async ({ files = false, withoutPods = false, strict = false }: CheckFlags) => {
      const { loadConfig } = await import('../config.ts');
      const { openStore } = await import('../db/database.ts');
      const { watchStore } = await import('../artifacts/storeCheck.ts');
      const { artifactStoreOf } = await import('./service/artifactStore.ts');
      const { runSections } = await import('./sections.ts');
      const config = loadConfig(process.env, ['DATABASE_URL', 'ARTIFACTS_URL', 'PUBLIC_URL', 'SECRETS_KEYS']);
      const { db } = openStore({ url: config.DATABASE_URL, keyRing: config.SECRETS_KEYS, maxConnections: 4 });
      const { artifacts } = watchStore(artifactStoreOf(config.ARTIFACTS_URL, config));
      const sections = await sectionsOf({ config, db, artifacts }, { pods: !withoutPods });
      for (const [name, result] of Object.entries(await runSections(sections, CHECK_MS))) report(name, result, strict);
      // Many files take long, so this has no deadline of its own.
      if (files) report('files', await missingFilesOf({ db, artifacts }), strict);
      // A check that hangs must not keep the process.
      process.exit();
    });
}

interface Checked {
  readonly config: Config & { readonly PUBLIC_URL: string };
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

/** Each one connects by itself, so one that fails does not stop the others. */
async function sectionsOf(
  { config, db, artifacts }: Checked,
  { pods }: { readonly pods: boolean },
): Promise<Record<string, Section>> {
  const { probeStore } = await import('../artifacts/storeCheck.ts');
  const { readInstallation } = await import('../core/jobs/installation.ts');
  const { outsideChecks } = await import('./service/outsideChecks.ts');
  const { requireKeys } = await import('./service/requireKeys.ts');
  // The client of Kubernetes takes seconds to load in a busy pod. Connections that open meanwhile would seem to time out.
  if (config.CAPTURE_PROFILE !== undefined) await import('./service/kubernetesController.ts');
  return {
    database: async () => {
      await requireKeys(db);
      await readInstallation(db);
    },
    artifacts: () => probeStore(artifacts),
    ...outsideChecks(config, config.PUBLIC_URL),
    ...(config.CAPTURE_PROFILE !== undefined && { captures: () => checkCaptures({ config, db }, pods) }),
  };
}

async function checkCaptures({ config, db }: Pick<Checked, 'config' | 'db'>, pods: boolean): Promise<void> {
  if (!existsSync(config.CAPTURE_PROFILE ?? ''))
    throw new SkippedError(`this process has no ${config.CAPTURE_PROFILE}. Controller pods have it.`);
  const { readInstallation } = await import('../core/jobs/installation.ts');
  const { createLogger } = await import('../observe/logger.ts');
  const { connectCluster } = await import('./service/kubernetesController.ts');
  const log = createLogger({ level: config.LOG_LEVEL, name: 'check' });
  const cluster = await connectCluster({ config, installation: await readInstallation(db), log });
  await cluster.dryRunCaptures({ pods });
}

function report(name: string, result: SectionResult, strict: boolean): void {
  if ('value' in result) {
    console.log(`${name}: ${result.value ?? 'ok'}`);
    return;
  }
  const isSkipped = result.error instanceof SkippedError;
  console.log(`${name}: ${isSkipped ? 'skipped: ' : ''}${errorMessage(result.error)}`);
  if (!isSkipped || strict) process.exitCode = 1;
}

/** Lists the missing files. */
async function missingFilesOf({ db, artifacts }: Pick<Checked, 'db' | 'artifacts'>): Promise<SectionResult> {
  const { missingFiles } = await import('../core/operations/storedFiles.ts');
  let [checked, missing] = [0, 0];
  const progress = (so: number) => {
    if (Math.floor(so / PROGRESS_EACH) > Math.floor(checked / PROGRESS_EACH))
      console.error(`${so} files were checked.`);
    checked = so;
  };
  try {
    for await (const { kind, organization, key } of missingFiles({ db, artifacts }, progress)) {
      missing += 1;
      console.log(`missing: the ${kind} ${key} of the organization ${organization}`);
    }
  } catch (error) {
    return { error: new Error(`not all were checked: ${errorMessage(error)}`, { cause: error }) };
  }
  const counts = `${missing} of ${checked} are missing`;
  return missing > 0 ? { error: new Error(counts) } : { value: counts };
}
