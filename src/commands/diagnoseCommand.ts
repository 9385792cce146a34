import type { Command } from 'commander';
import type { ServiceContext } from './service/serviceContext.ts';

/** Each section has ten seconds; what hangs after that must not keep the process. */
export function diagnoseCommand(program: Command): void {
  program
    .command('diagnose')
    .description(
      'print the state of the installation as JSON without secrets: versions, settings, database, queues, last errors, cluster',
    )
    .action(async () => {
      const { loadConfig } = await import('../config.ts');
      const { openStore } = await import('../db/database.ts');
      const { watchStore } = await import('../artifacts/storeCheck.ts');
      const { diagnose } = await import('./diagnose/bundle.ts');
      const { artifactStoreOf } = await import('./service/artifactStore.ts');
      const config = () => loadConfig(process.env, ['DATABASE_URL', 'ARTIFACTS_URL', 'SECRETS_KEYS']);
      let store: ServiceContext['store'] | undefined;
      const db = async () => {
        const { DATABASE_URL: url, SECRETS_KEYS: keyRing } = config();
        store ??= openStore({ url, keyRing, maxConnections: 4 });
        return store.db;
      };
      const bundle = await diagnose({
        env: process.env,
        db,
        checkArtifacts: async () => {
          const { ARTIFACTS_URL, ...settings } = config();
          await watchStore(artifactStoreOf(ARTIFACTS_URL, settings)).check();
        },
        cluster: process.env['CAPTURE_PROFILE']
          ? async () => {
              const { summarizeCluster } = await import('./service/kubernetesController.ts');
              return summarizeCluster(config(), await db());
            }
          : undefined,
      });
      process.stdout.write(`${JSON.stringify(bundle, undefined, 2)}\n`, () => process.exit(0));
    });
}
