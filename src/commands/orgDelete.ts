import type { Command } from 'commander';
import { deleteOrganization, previewDeletion } from '../core/removal/organizationRemoval.ts';
import { conflict } from '../domain/failure.ts';
import { wholeSeconds } from './arguments.ts';
import { slugArgument } from './slugArgument.ts';
import { print, withStore } from './withStore.ts';

interface Options {
  readonly confirm?: string;
  readonly wait: number;
  readonly json?: boolean;
}

export function addDelete(org: Command): void {
  org
    .command('delete')
    .description('show what an organization has, and with --confirm delete it with everything it has')
    .addArgument(slugArgument())
    .option('--confirm <slug>', 'the name again: revoke its keys, cancel its captures and remove everything')
    .option('--wait <seconds>', 'the longest time to wait for running captures', wholeSeconds, 600)
    .option('--json', 'print one JSON line')
    .action((name: string, options: Options) =>
      options.confirm === undefined ? preview(name, options) : remove(name, options),
    );
}

async function preview(name: string, { json = false }: Options): Promise<void> {
  await withStore(async (db) => print({ organization: name, ...(await previewDeletion(db, name)) }, json));
  if (!json) console.log(`Nothing was deleted. To delete all of this, repeat the command with --confirm ${name}.`);
}

/** @throws Failure (409) if the names differ. Exits with 1 if something is left. */
async function remove(name: string, { confirm, wait, json = false }: Options): Promise<void> {
  if (confirm !== name) throw conflict('confirm', `must be "${name}", the name of the organization to delete.`);
  const { serviceContextFromEnvironment } = await import('./service/serviceContext.ts');
  const context = await serviceContextFromEnvironment({ name: 'org-delete', worksQueues: false });
  try {
    const { artifacts, queue, publicUrl } = context;
    const given = { db: context.store.db, artifacts, queue, publicUrl };
    const { removed, isComplete } = await deleteOrganization(given, name, { waitMs: wait * 1_000 });
    print({ organization: name, state: isComplete ? 'deleted' : 'incomplete', ...removed }, json);
    if (isComplete) return;
    process.exitCode = 1;
    console.error(
      'Captures still run, or another process removes the rest. Its keys are revoked. Run the command again.',
    );
  } finally {
    await context.queue.stop({ timeoutMs: 1_000 });
    await context.close();
  }
}
