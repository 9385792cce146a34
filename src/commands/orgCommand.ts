import { Argument, type Command, Option } from 'commander';
import {
  createOrganization,
  disableOrganization,
  enableOrganization,
  listOrganizations,
  rotateWebhookSecret,
  setReview,
} from '../store/organizations/organizations.ts';
import { print, withStore } from './withStore.ts';

const slug = () => new Argument('<slug>', 'the organization, as it stands in paths');

export function orgCommand(program: Command): void {
  const org = program
    .command('org')
    .description('organizations: create, list, disable, enable, set, rotate-webhook-secret');
  addCreate(org);
  addList(org);
  addDisableAndEnable(org);
  addSet(org);
  addRotateWebhookSecret(org);
}

function addCreate(org: Command): void {
  org
    .command('create')
    .description('make an organization and its first key, which is shown this once')
    .addArgument(slug())
    .option('--json', 'one JSON line')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => print({ ...(await createOrganization(db, { slug: name })) }, json)),
    );
}

function addList(org: Command): void {
  org
    .command('list')
    .description('all organizations')
    .option('--json', 'a JSON line each')
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
    .description('refuse its requests (403); what it asked for before goes on')
    .addArgument(slug())
    .action((name: string) => withStore((db) => disableOrganization(db, name)));
  org
    .command('enable')
    .description('accept its requests again')
    .addArgument(slug())
    .action((name: string) => withStore((db) => enableOrganization(db, name)));
}

function addSet(org: Command): void {
  org
    .command('set')
    .description('change how its sets are approved')
    .addArgument(slug())
    .addOption(
      new Option('--review <mode>', 'who approves a finished set')
        .choices(['manual', 'automatic'])
        .makeOptionMandatory(),
    )
    .action((name: string, { review }: { review: 'manual' | 'automatic' }) =>
      withStore((db) => setReview(db, name, review)),
    );
}

function addRotateWebhookSecret(org: Command): void {
  org
    .command('rotate-webhook-secret')
    .description('a new secret; the old one signs beside it for a day')
    .addArgument(slug())
    .option('--json', 'one JSON line')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => print({ organization: name, webhook_secret: await rotateWebhookSecret(db, name) }, json)),
    );
}
