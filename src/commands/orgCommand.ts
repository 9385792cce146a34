import { type Command, InvalidArgumentError, Option } from 'commander';
import { QUOTA_MAX } from '../domain/quotas.ts';
import { REVIEW_MODES, type ReviewMode } from '../domain/reviews.ts';
import type { Database } from '../store/database/database.ts';
import { listOrganizations } from '../store/organizations/organizations.ts';
import { addOrganization, chooseQuotas, chooseReview, disable, enable, rotateSecret } from '../workflow/operator.ts';
import { addDelete } from './orgDelete.ts';
import { slugArgument } from './slugArgument.ts';
import { print, withStore } from './withStore.ts';

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
        for (const { slug: name, review, disabled_at, pictures_per_day, running_captures } of await listOrganizations(
          db,
        )) {
          const state = disabled_at === null ? 'enabled' : 'disabled';
          if (json) print({ organization: name, review, state, pictures_per_day, running_captures }, true);
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
    .action((name: string) => withStore((db) => disable(db, name)));
  org
    .command('enable')
    .description('accept the requests of an organization again')
    .addArgument(slugArgument())
    .action((name: string) => withStore((db) => enable(db, name)));
}

interface Chosen {
  readonly review?: ReviewMode;
  readonly picturesPerDay?: number | null;
  readonly runningCaptures?: number | null;
}

function addSet(org: Command): void {
  org
    .command('set')
    .description('change how the sets of an organization are approved, and its quotas')
    .addArgument(slugArgument())
    .addOption(
      new Option(
        '--review <mode>',
        'how finished sets are approved; partial: by hand only if they have failures',
      ).choices([...REVIEW_MODES]),
    )
    .option('--pictures-per-day <number>', 'screenshots that it may request on a day, or "default"', quota)
    .option('--running-captures <number>', 'its captures that may run at the same time, or "default"', quota)
    .action((name: string, chosen: Chosen, command: Command) => {
      if (Object.keys(chosen).length === 0)
        command.error('error: choose at least one of --review, --pictures-per-day and --running-captures', {
          exitCode: 2,
        });
      return withStore((db) => change(db, name, chosen));
    });
}

async function change(db: Database, name: string, chosen: Chosen): Promise<void> {
  const { review, picturesPerDay, runningCaptures } = chosen;
  if (review !== undefined) await chooseReview(db, name, review);
  await chooseQuotas(db, name, {
    ...(picturesPerDay !== undefined && { pictures_per_day: picturesPerDay }),
    ...(runningCaptures !== undefined && { running_captures: runningCaptures }),
  });
}

/** @returns null for "default", the number of the operator's settings. */
function quota(text: string): number | null {
  if (text === 'default') return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= QUOTA_MAX) return number;
  throw new InvalidArgumentError(
    `It must be "default", or a whole number from 1 to ${QUOTA_MAX.toLocaleString('en')}.`,
  );
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
