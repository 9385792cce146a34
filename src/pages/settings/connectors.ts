/** The S3 connectors: what is set, its check, and the form that sets it. One is shown at a time. */

import type { Request } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { ConnectorCheckBody, ConnectorReference, S3ConnectorBody } from '../../contract/connectors.ts';
import { findS3Connector, listS3Connectors, type S3Connector } from '../../core/buckets/connectorQueries.ts';
import { removeConnector, requestConnectorCheck, saveConnector } from '../../core/buckets/connectors.ts';
import { DEFAULT_CONNECTOR, ENCRYPTIONS, STORAGE_CLASSES } from '../../domain/connectors.ts';
import { invalid } from '../../domain/failure.ts';
import type { Guard } from '../../egress/guard.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button, copyText, facts, linkButton, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { answerForm, type Choice, EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { formField } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, addAskedAction, framedPage } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths' | 'request'>;

interface ConnectorPageOptions {
  readonly account?: FormState;
  readonly check?: FormState;
}

const CHECKS = { pending: 'Checking', passed: 'Works', failed: 'Does not work' } as const;

const orOfBucket = (names: readonly string[]): Choice[] => [
  ['', 'Bucket default'],
  ...names.map((name) => [name, name] as const),
];

const ACCOUNT = formTable(S3ConnectorBody.safeExtend(ConnectorReference.shape), {
  name: { label: 'Name', max: 63, hint: `Subscribers that name no connector use the one named ${DEFAULT_CONNECTOR}.` },
  endpoint: {
    kind: 'url',
    label: 'Server',
    hint: 'Leave empty for AWS. Otherwise the public address of the S3 server.',
  },
  region: { label: 'Region', hint: 'For example eu-central-1.' },
  access_key_id: { label: 'Access key' },
  secret_access_key: { kind: 'password', label: 'Secret' },
  role_arn: { label: 'Role', hint: 'A role of an AWS account, instead of an access key: arn:aws:iam::…:role/….' },
  encryption: { kind: 'select', label: 'Encryption', choices: orOfBucket(ENCRYPTIONS) },
  kms_key_id: { label: 'KMS key', hint: 'Only for aws:kms. The access key then needs kms:GenerateDataKey for it.' },
  storage_class: { kind: 'select', label: 'Storage class', choices: orOfBucket(STORAGE_CLASSES) },
  force_path_style: { kind: 'checkbox', label: 'Use path-style addresses, as MinIO requires' },
});

const CHECK = formTable(ConnectorCheckBody, {
  bucket: { label: 'Bucket' },
  bucket_region: {
    path: 'region',
    label: 'Region of the bucket',
    hint: 'Leave empty for the region of the connector.',
  },
  key_prefix: { label: 'Prefix', hint: 'Before the names of objects, for example campaigns/.', keepsSpaces: true },
});

/** @returns the name of the connector that the address or the form of a page names. */
function connectorName({ query, body }: Pick<Request, 'query' | 'body'>): string {
  const name = formField({ body }, 'name') || query['name'];
  return typeof name === 'string' ? name : DEFAULT_CONNECTOR;
}

export function addConnectorRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const path = '/o/:slug/settings/connectors';
  const list = { scope: 'admin', cost: COST.list } as const;
  pages.get(path, (given) => connectorPage(options, given), list);
  pages.post(
    path,
    (given) =>
      answerForm(given, {
        run: () => save(options, guard, given),
        again: (account) => connectorPage(options, given, { account }),
      }),
    ADMIN,
  );
  addAction(
    pages,
    { page: 'connectors', path: `${path}/check` },
    {
      read: ({ request }) => readForm(CHECK, request),
      act: (tx, { request, viewer: { organizationId }, actor }, target) =>
        requestConnectorCheck(tx, { organizationId, name: connectorName(request) }, target, {
          queue: options.queue,
          actor,
        }),
      answer: (given, row) => redirectTo(given, withName(given.paths.settings('connectors'), row)),
      again: (given, check) => connectorPage(options, given, { check }),
      cost: COST.outgoing,
    },
  );
  addAskedAction(
    pages,
    { page: 'connectors', path: `${path}/remove` },
    {
      ask: ({ request }) => removal(connectorName(request)),
      act: (tx, { request, viewer, actor }) =>
        removeConnector(tx, { organizationId: viewer.organizationId, name: connectorName(request) }, actor),
      notice: 'connector_removed',
    },
  );
  pages.events(
    `${path}/events`,
    ({ request, viewer: { organizationId } }) => {
      const key = { organizationId, name: connectorName(request) };
      const exists = async () => (await findS3Connector(options.store.db, key)) !== undefined;
      return { concerns: ({ connector }) => connector === organizationId, exists };
    },
    list,
  );
}

async function save(
  { store: { db }, queue, awsPrincipal }: PagesOptions,
  guard: Pick<Guard, 'resolve'>,
  given: ViewerRequest,
): Promise<'sent'> {
  const { request, viewer, actor, paths } = given;
  const { name, ...body } = readForm(ACCOUNT, request);
  const isTaken = (await findS3Connector(db, { ...viewer, name })) !== undefined;
  if (isTaken && formField(request, 'is_new') !== '')
    throw invalid({ name: ['is already used by another connector: choose a different name.'] });
  await saveConnector(db, { ...viewer, name }, { body, guard, awsPrincipal, queue, actor });
  return redirectTo(given, `${paths.settings('connectors')}?name=${name}`, 'saved');
}

async function connectorPage(
  { store, awsPrincipal }: PagesOptions,
  given: Given,
  { account = EMPTY_FORM, check = EMPTY_FORM }: ConnectorPageOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths, request } = given;
  const rows = await listS3Connectors(store.db, viewer.organizationId);
  const name = connectorName(request);
  const isNew = request.query['add'] !== undefined || formField(request, 'is_new') !== '';
  const row = isNew ? undefined : (rows.find((each) => each.name === name) ?? rows[0]);
  const form = { form: account, suggested: rows.length === 0 ? DEFAULT_CONNECTOR : '' };
  const body = html`${rows.length === 0 ? NOTHING : list(rows, row, paths)}
${row && panel(`Connector “${row.name}”`, connectorFacts(row, paths, awsPrincipal))}
${row && panel('Check', checkForm(row, given, check))}
${panel(row === undefined ? 'Set a connector' : 'Change the connector', accountForm(row, given, form))}`;
  const events = row?.check_status === 'pending' ? withName(`${paths.settings('connectors')}/events`, row) : undefined;
  return framedPage(given, 'connectors', { body, status: account.status ?? check.status, events });
}

const withName = (path: string, { name }: Pick<S3Connector, 'name'>) => `${path}?name=${encodeURIComponent(name)}`;

function list(rows: readonly S3Connector[], shown: S3Connector | undefined, paths: Given['paths']): Html {
  const path = paths.settings('connectors');
  const link = (href: string, label: string, isCurrent: boolean) =>
    html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${label}</a>`;
  return html`<nav class="pills" aria-label="Connectors">
${rows.map((row) => link(withName(path, row), row.name, row === shown))}
${link(`${path}?add=1`, 'Add a connector', shown === undefined)}</nav>`;
}

const NOTHING = html`<p class="meta">With a connector, the service puts the pictures of approved sets into your buckets.
It needs an access key with the permission <code>s3:PutObject</code>, or a role of an AWS account.</p>`;

/** Facts that the form below does not show. */
function connectorFacts(row: S3Connector, paths: Given['paths'], awsPrincipal: string | undefined): Html {
  const isDefault = row.name === DEFAULT_CONNECTOR;
  const role: [string, HtmlContent][] = [
    ['Trusts', html`<code>${awsPrincipal ?? 'This service no longer has an AWS identity.'}</code>`],
    [
      'External id',
      html`${copyText('the external id', row.organization_id)} The trust policy of the role must require it.`,
    ],
  ];
  const use = isDefault
    ? 'Subscribers that name no connector use it.'
    : html`Subscribers use it if they name it: <code>"connector": "${row.name}"</code>.`;
  const remove = withName(`${paths.settings('connectors')}/remove`, row);
  return html`<p>${use}</p>
${facts([...(row.role_arn === null ? [] : role), ['Changed', timeElement(row.updated_at)]])}
<p>${linkButton({ href: remove, label: 'Remove the connector', kind: 'danger' })}</p>`;
}

function checkForm(row: S3Connector, { viewer, paths }: Given, form: FormState): Html {
  const page = paths.settings('connectors');
  return html`<p>Writes a small object into a bucket and deletes it, as a delivery would write its pictures.</p>
<div id="check" data-live>${result(row)}</div>
${renderForm(CHECK, {
  ...{ viewer, page, action: `${page}/check`, form, hidden: nameOf(row) },
  stored: { bucket: row.check_bucket, region: row.check_region, key_prefix: row.check_key_prefix },
  submit: button({ label: 'Check the connector' }),
})}`;
}

const nameOf = ({ name }: Pick<S3Connector, 'name'>) => html`<input type="hidden" name="name" value="${name}">`;

function result({
  check_status: status,
  check_message: message,
  check_finished_at: at,
  ...row
}: S3Connector): HtmlContent {
  if (status === null || row.check_requested_at === null)
    return html`<p class="hint">Not checked since the last change.</p>`;
  const state = { pending: 'pending', passed: 'delivered', failed: 'failed' }[status];
  const when = timeElement(at ?? row.check_requested_at);
  return html`<p>${badge(state, CHECKS[status])} <span class="meta">${row.check_bucket}, ${when}</span></p>
${message !== null && html`<p class="reason">${message}</p>`}`;
}

interface AccountForm {
  readonly form: FormState;
  /** The name in the form of a new connector. */
  readonly suggested: string;
}

function accountForm(row: S3Connector | undefined, { viewer, paths }: Given, { form, suggested }: AccountForm): Html {
  return renderForm(ACCOUNT, {
    ...{ viewer, page: paths.settings('connectors'), form, stored: row },
    hidden: row === undefined ? html`<input type="hidden" name="is_new" value="yes">` : nameOf(row),
    known: row === undefined ? { name: { value: suggested } } : { name: null, secret_access_key: KEPT },
    submit: 'Save',
  });
}

const KEPT = { hint: 'Leave it empty to keep the stored one of the same access key.' };

/** Asks before the connector is removed. */
const removal = (name: string) => ({
  question: html`Remove the connector “<bdi>${name}</bdi>”?`,
  text: html`<p>Its access key and secret are deleted here.
Deliveries that use it fail from now on, and are retried for about a day.</p>`,
  fields: nameOf({ name }),
  button: 'Remove the connector',
});
