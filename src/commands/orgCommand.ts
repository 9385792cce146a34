import { type Command, Option } from 'commander';
import {
  addOrganization,
  chooseQuotas,
  chooseSettings,
  rotateSecret,
  setDisabled,
} from '../core/organizations/operator.ts';
import { listOrganizations } from '../core/organizations/organizations.ts';
import { deleteOrganization, previewDeletion } from '../core/removal/organizationRemoval.ts';
import type { Database } from '../db/database.ts';
import { conflict } from '../domain/failure.ts';
import { PRIORITIES, type Priority } from '../domain/priorities.ts';
import { QUOTA_MAX } from '../domain/quotas.ts';
import { SET_DAYS } from '../domain/retention.ts';
import { REVIEW_MODES, type ReviewMode } from '../domain/reviews.ts';
import { slugArgument, wholeNumber, wholeSeconds } from './arguments.ts';
import { print, withStore } from './withStore.ts';

interface Options {
  readonly confirm?: string;
  readonly wait: number;
  readonly json?: boolean;
}

export function orgCommand(program: Command): void {
  const org = program
    .command('org')
    .description('manage organizations: create, list, disable, enable, set, rotate-webhook-secret, delete');
  addCreate(org);
  addList(org);
  addDisableAndEnable(org);
  addSet(org);
  addRotateWebhookSecret(org);
  addDelete(org);
}

function addCreate(org: Command): void {
  org
    .command('create')
    .description('create an organization and its first API key, and show the key once')
    .addArgument(slugArgument())
    .option('--json', 'print one JSON line')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => print({ ...(await addOrganization(db, name)) }, json)),
    );
}

function addList(org: Command): void {
  org
    .command('list')
    .description('list all organizations')
    .option('--json', 'print one JSON line for each organization')
    .action(({ json = false }: { json?: boolean }) =>
      withStore(async (db) => {
        for (const { slug: name, review, disabled_at, ...organization } of await listOrganizations(db)) {
          const state = disabled_at === null ? 'enabled' : 'disabled';
          const { pictures_per_day, running_captures, default_priority, max_priority } = organization;
          const limits = { pictures_per_day, running_captures, default_priority, max_priority };
          if (json) print({ organization: name, review, state, ...limits }, true);
          else console.log(`${name}  ${state}  review ${review}`);
        }
      }),
    );
}

function addDisableAndEnable(org: Command): void {
  org
    .command('disable')
    .description('reject the requests of an organization with 403; accepted requests continue')
    .addArgument(slugArgument())
    .action((name: string) => withStore((db) => setDisabled(db, name, true)));
  org
    .command('enable')
    .description('accept the requests of an organization again')
    .addArgument(slugArgument())
    .action((name: string) => withStore((db) => setDisabled(db, name, false)));
}

/** Default: the number of the operator's settings. Commander turns null into an empty text, so options cannot be null. */
type NumberOrDefault = number | 'default';

interface Chosen {
  readonly setRetentionDays?: NumberOrDefault;
  readonly review?: ReviewMode;
  readonly picturesPerDay?: NumberOrDefault;
  readonly runningCaptures?: NumberOrDefault;
  readonly priority?: Priority;
  readonly maxPriority?: Priority;
}

function addSet(org: Command): void {
  org
    .command('set')
    .description(
      'change how the sets of an organization are approved, its quotas and priorities, and how long its sets are kept',
    )
    .addArgument(slugArgument())
    .addOption(
      new Option(
        '--review <mode>',
        'how finished sets are approved; partial: manually only if they have failures',
      ).choices([...REVIEW_MODES]),
    )
    .option('--pictures-per-day <number>', 'screenshots that it may request per day, or "default"', quota)
    .option('--running-captures <number>', 'its captures that may run at the same time, or "default"', quota)
    .addOption(
      new Option('--priority <priority>', 'the default of its requests; initially "normal"').choices([...PRIORITIES]),
    )
    .addOption(
      new Option('--max-priority <priority>', 'the highest that its requests may use; initially "high"').choices([
        ...PRIORITIES,
      ]),
    )
    .option(
      '--set-retention-days <days>',
      'days from the request of a set to its removal, or "default"',
      numberOrDefault(SET_DAYS.min, SET_DAYS.max),
    )
    .action((name: string, { data: _, ...chosen }: Chosen & { readonly data?: string }, self: Command) => {
      if (Object.keys(chosen).length === 0)
        self.error('error: choose at least one option: see tearsheet org set --help', { exitCode: 2 });
      return withStore((db) => change(db, name, chosen));
    });
}

async function change(db: Database, name: string, chosen: Chosen): Promise<void> {
  const { review, setRetentionDays, picturesPerDay, runningCaptures, priority, maxPriority } = chosen;
  const days = setRetentionDays === undefined ? undefined : ownNumber(setRetentionDays);
  await chooseSettings(db, name, { review, set_retention_days: days });
  await chooseQuotas(db, name, {
    ...(picturesPerDay !== undefined && { pictures_per_day: ownNumber(picturesPerDay) }),
    ...(runningCaptures !== undefined && { running_captures: ownNumber(runningCaptures) }),
    ...(priority !== undefined && { default_priority: priority }),
    ...(maxPriority !== undefined && { max_priority: maxPriority }),
  });
}

const quota = numberOrDefault(1, QUOTA_MAX);

const ownNumber = (value: NumberOrDefault) => (value === 'default' ? null : value);

function numberOrDefault(min: number, max: number): (text: string) => NumberOrDefault {
  const what = `"default", or a whole number from ${min} to ${max.toLocaleString('en')}`;
  const number = wholeNumber(min, max, what);
  return (text) => (text === 'default' ? text : number(text));
}

function addRotateWebhookSecret(org: Command): void {
  org
    .command('rotate-webhook-secret')
    .description('create a new webhook secret; for one day, webhooks are signed with the old one, too')
    .addArgument(slugArgument())
    .option('--json', 'print one JSON line')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => print({ organization: name, webhook_secret: await rotateSecret(db, name) }, json)),
    );
}

function addDelete(org: Command): void {
  org
    .command('delete')
    .description('show the data of an organization, and with --confirm delete it with all its data')
    .addArgument(slugArgument())
    .option('--confirm <slug>', 'repeat the name to revoke its keys, cancel its captures and remove everything')
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
      'Captures are running, or another process is removing the rest. Its keys are revoked. Run the command again.',
    );
  } finally {
    await context.queue.stop({ timeoutMs: 1_000 });
    await context.close();
  }
}
