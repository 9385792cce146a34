import type { Command } from 'commander';
import { firstOf } from '../domain/text.ts';
import { wholeSeconds } from './arguments.ts';

export function cleanupCommand(program: Command): void {
  program
    .command('cleanup')
    .description(
      'delete the ScreenshotJobs and Jobs of this installation before it is uninstalled; cancels no set, safe to repeat',
    )
    .option('--wait <seconds>', 'the longest time to wait for captures to end', wholeSeconds, 120)
    .action(async ({ wait }: { wait: number }) => {
      const { serviceContextFromEnvironment } = await import('./service/serviceContext.ts');
      const context = await serviceContextFromEnvironment({ name: 'cleanup', worksQueues: false });
      if (context.config.CAPTURE_PROFILE !== undefined) {
        const { cleanUp } = await import('../controller/cleanup.ts');
        const { connectCluster } = await import('./service/kubernetesController.ts');
        const cluster = await connectCluster(context);
        const { store, log } = context;
        const left = await cleanUp({ db: store.db, cluster, waitMs: wait * 1_000, log });
        const { resources: others } = await cluster.listUnlabeled();
        await cluster.close();
        console.log(describeResult(left));
        if (others.length > 0) console.log(describeOthers(others.map(({ resource }) => resource.name)));
      } else {
        console.log('There is nothing to delete: without a cluster, captures are child processes of the controller.');
      }
      await context.queue.stop({ timeoutMs: 1_000 });
      await context.close();
    });
}

function describeResult({ resources, jobs }: { resources: number; jobs: number }): string {
  if (resources + jobs === 0) return 'All ScreenshotJobs and Jobs are deleted.';
  return `${resources} ScreenshotJobs and ${jobs} Jobs are marked for deletion, but their pods did not end in time. Check \`kubectl get pods -l app.kubernetes.io/component=capture\`.`;
}

const MOST_NAMES = 20;

function describeOthers(names: readonly string[]): string {
  return `ScreenshotJobs that this installation does not own are kept (${names.length}): ${firstOf(names, MOST_NAMES)}. If their database is lost, those of running sets block the deletion of the namespace. To remove them, run \`kubectl delete shot NAME --wait=false\` and \`kubectl patch shot NAME --type=merge -p '{"metadata":{"finalizers":null}}'\`.`;
}
