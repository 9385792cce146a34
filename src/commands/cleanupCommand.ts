import { type Command, InvalidArgumentError } from 'commander';
import { cleanUp } from '../controller/cleanup.ts';
import { connectCluster } from './service/clusterService.ts';
import { serviceContextFromEnvironment } from './service/serviceContext.ts';

export function cleanupCommand(program: Command): void {
  program
    .command('cleanup')
    .description(
      'take the ScreenshotJobs and Jobs of this installation out of its cluster, before it is uninstalled; cancels nothing, safe to repeat',
    )
    .option('--wait <seconds>', 'how long captures may take to end', seconds, 120)
    .action(async ({ wait }: { wait: number }) => {
      const base = await serviceContextFromEnvironment({ name: 'cleanup', worksQueues: false });
      if (base.config.CLUSTER === 'kubernetes') {
        const cluster = await connectCluster(base);
        const { store, log } = base;
        const left = await cleanUp({ db: store.db, cluster, waitMs: wait * 1_000, log });
        await cluster.close();
        console.log(wordsOf(left));
      } else {
        console.log('Captures are child processes of the controller here: there is nothing to remove.');
      }
      await base.queue.stop({ timeoutMs: 1_000 });
      await base.close();
    });
}

function wordsOf({ resources, jobs }: { resources: number; jobs: number }): string {
  if (resources + jobs === 0) return 'All ScreenshotJobs and Jobs are gone.';
  return `Nothing holds ${resources} ScreenshotJobs and ${jobs} Jobs any more, but their pods had not ended in time: see \`kubectl get pods -l app.kubernetes.io/component=capture\`.`;
}

function seconds(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds.');
  return Number(text);
}
