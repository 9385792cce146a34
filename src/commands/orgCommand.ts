import { Argument, type Command, Option } from 'commander';
import { REVIEW_MODES, type ReviewMode } from '../domain/reviews.ts';
import { listOrganizations } from '../store/organizations/organizations.ts';
import { addOrganization, chooseReview, disable, enable, rotateSecret } from '../workflow/operator.ts';
import { print, withStore } from './withStore.ts';

const slug = () => new Argument('<slug>', 'the name of the organization in API paths');

export function orgCommand(program: Command): void {
  const org = program
    .command('org')
    .description('manage organizations: create, list, disable, enable, set, rotate-webhook-secret');
  addCreate(org);
  addList(org);
  addDisableAndEnable(org);
  addSet(org);
  addRotateWebhookSecret(org);
}

function addCreate(org: Command): void {
  org
    .command('create')
    .description('create an organization and its first API key, and show the key once')
    .addArgument(slug())
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
        for (const { slug: name, review, disabled_at } of await listOrganizations(db)) {
          const state = disabled_at === null ? 'enabled' : 'disabled';
          if (json) print({ organization: name, review, state }, true);
          else console.log(`${name}  ${state}  review ${review}`);
        }
      }),
    );
}

function addDisableAndEnable(org: Command): void {
  org
    .command('disable')
    .description('reject the requests of an organization with 403; accepted requests continue')
    .addArgument(slug())
    .action((name: string) => withStore((db) => disable(db, name)));
  org
    .command('enable')
    .description('accept the requests of an organization again')
    .addArgument(slug())
    .action((name: string) => withStore((db) => enable(db, name)));
}

function addSet(org: Command): void {
  org
    .command('set')
    .description('change how the sets of an organization are approved')
    .addArgument(slug())
    .addOption(
      new Option('--review <mode>', 'how finished sets are approved; partial: by hand only if they have failures')
        .choices([...REVIEW_MODES])
        .makeOptionMandatory(),
    )
    .action((name: string, { review }: { review: ReviewMode }) => withStore((db) => chooseReview(db, name, review)));
}

function addRotateWebhookSecret(org: Command): void {
  org
    .command('rotate-webhook-secret')
    .description('create a new webhook secret; for one day, webhooks are signed with the old one, too')
    .addArgument(slug())
    .option('--json', 'print one JSON line')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => print({ organization: name, webhook_secret: await rotateSecret(db, name) }, json)),
    );
}
