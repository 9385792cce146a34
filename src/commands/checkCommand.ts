import type { Command } from 'commander';
import { errorMessage } from '../lib/errorMessage.ts';
import type { ServiceContext } from './service/serviceContext.ts';

const CHECK_MS = 30_000;
const PROGRESS_EACH = 10_000;

export function checkCommand(program: Command): void {
  program
    .command('check')
    .description(
      'check database, artifact store, mail server, sign-in, locations and, by a dry run on the cluster, the pods of captures; `helm test` runs it',
    )
    .option(
      '--files',
      'also ask the artifact store for each file that the database names, and list those that are missing',
    )
    .option('--without-pods', 'try the Job of captures, but not its pods, which takes the right to create pods')
    .action(async ({ withoutPods = false, files = false }: { withoutPods?: boolean; files?: boolean }) => {
      const { probeStore } = await import('../artifacts/storeCheck.ts');
      const { checkDatabase, serviceContextFromEnvironment } = await import('./service/serviceContext.ts');
      const { connectCluster } = await import('./service/kubernetesController.ts');
      const { outsideChecks } = await import('./service/outsideChecks.ts');
      const { runSections } = await import('./sections.ts');
      const context = await serviceContextFromEnvironment({ name: 'check', worksQueues: false });
      const results = await runSections(
        {
          database: () => checkDatabase(context),
          artifacts: () => probeStore(context.artifacts),
          ...outsideChecks(context.config, context.publicUrl),
          ...(context.config.CAPTURE_PROFILE !== undefined && {
            captures: async () => (await connectCluster(context)).dryRunCaptures({ pods: !withoutPods }),
          }),
        },
        CHECK_MS,
      );
      for (const [name, result] of Object.entries(results)) {
        console.log(`${name}: ${'error' in result ? errorMessage(result.error) : 'ok'}`);
        if ('error' in result) process.exitCode = 1;
      }
      if (files && process.exitCode === undefined) await checkFiles(context);
      else if (files) console.log('files: not checked, because another check failed');
      // A check that hangs must not keep the process.
      process.exit();
    });
}

async function checkFiles({ store, artifacts }: ServiceContext): Promise<void> {
  const { missingFiles } = await import('../core/operations/storedFiles.ts');
  let [checked, missing] = [0, 0];
  const progress = (so: number) => {
    if (Math.floor(so / PROGRESS_EACH) > Math.floor(checked / PROGRESS_EACH))
      console.error(`${so} files were checked.`);
    checked = so;
  };
  for await (const { kind, organization, key } of missingFiles({ db: store.db, artifacts }, progress)) {
    missing += 1;
    console.log(`missing: the ${kind} ${key} of the organization ${organization}`);
  }
  console.log(`files: ${missing} of ${checked} are missing`);
  if (missing > 0) process.exitCode = 1;
}
