/** Objects of ours whose label somebody took off: no watch tells of them, and the finalizer of a ScreenshotJob would hold it, and its namespace, for ever. */
import type { ScreenshotJob } from '../../../contract/screenshotJob.ts';
import type { StrayJob } from '../../port.ts';
import { readJob } from '../cache/jobState.ts';
import { readResource, SeenScreenshotJob } from '../cache/screenshotJobs.ts';
import type { ApiServer } from '../client/apiServer.ts';
import { LABEL, type Paths } from '../client/names.ts';

const UNLABELLED = `!${LABEL.installation}`;
/** The rest is found the next time. */
const MOST = 100;

export async function listStrays(
  api: ApiServer,
  paths: Pick<Paths, 'screenshotJobs' | 'jobs'>,
): Promise<{ resources: ScreenshotJob[]; jobs: StrayJob[] }> {
  const list = async (path: string, labelSelector: string) => {
    const { items = [] } = (await api.call({ verb: 'list', path, query: { labelSelector, limit: MOST } })) as {
      items?: unknown[];
    };
    return items;
  };
  const [resources, jobs] = await Promise.all([
    list(paths.screenshotJobs, UNLABELLED),
    list(paths.jobs, `${LABEL.screenshotJob},${UNLABELLED}`),
  ]);
  return {
    resources: resources.map((item) => new SeenScreenshotJob(readResource(item))),
    jobs: jobs.map(readJob).filter(({ deleting }) => !deleting),
  };
}
