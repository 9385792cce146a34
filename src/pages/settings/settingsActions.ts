/** The effects of the forms of settings. A form with faults is shown again with what was typed. */
import { ConnectorCheckBody, ConnectorReference, S3ConnectorBody } from '../../contract/connectors.ts';
import { NewApiKey, SettingsBody } from '../../contract/settings.ts';
import { WebhookTest } from '../../contract/webhookEndpoints.ts';
import { findS3Connector } from '../../core/buckets/connectorQueries.ts';
import { removeConnector, requestConnectorCheck, saveConnector } from '../../core/buckets/connectors.ts';
import { createApiKey, revokeApiKey } from '../../core/organizations/keys.ts';
import { changeSettings, replaceWebhookSecret, type SettingsChange } from '../../core/organizations/settings.ts';
import { sendTestEvent } from '../../core/webhooks/testEvents.ts';
import { invalid } from '../../domain/failure.ts';
import { SCOPES } from '../../domain/keys.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { readFields, redirectTo, tryForm, typedValues } from './adminHandlers.ts';
import { connectorName, connectorPage } from './connectorPage.ts';
import { generalPage } from './generalPage.ts';
import { keysPage, revokePage } from './keysPage.ts';
import { webhooksPage } from './webhooksPage.ts';

type Result = ResultsPage | 'sent' | undefined;

export class SettingsActions {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  setReview = async (given: ViewerRequest): Promise<Result> => {
    const { review } = readFields(SettingsBody, { review: formField(given.request, 'review') });
    return this.#changeSettings(given, { review: review ?? undefined });
  };

  setRetention = (given: ViewerRequest): Promise<Result> => {
    const values = typedValues(given.request);
    const text = formField(given.request, 'set_retention_days').trim();
    const change = async (): Promise<Result> => {
      const days = text === '' ? null : Number(text);
      const { set_retention_days } = readFields(SettingsBody, { set_retention_days: days });
      return this.#changeSettings(given, { set_retention_days });
    };
    return tryForm(change, (errors, status) => generalPage(this.#options, given, { status, form: { values, errors } }));
  };

  async #changeSettings(given: ViewerRequest, change: SettingsChange): Promise<Result> {
    const { viewer, actor, paths } = given;
    await this.#options.store.db.transaction().execute((tx) => changeSettings(tx, viewer.slug, change, actor));
    return redirectTo(given, paths.settings(), 'saved');
  }

  createKey = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor } = given;
    const expires = formField(request, 'expires_at').trim();
    const create = async (): Promise<Result> => {
      const { name, scopes, expires_at } = readFields(NewApiKey, {
        name: formField(request, 'name'),
        scopes: SCOPES.filter((scope) => formField(request, `scope_${scope}`) !== ''),
        ...(expires !== '' && { expires_at: expires }),
      });
      const { organizationId } = viewer;
      const wanted = { organizationId, name, scopes, expiresAt: expires_at ?? undefined };
      const { row, key } = await this.#options.store.db.transaction().execute((tx) => createApiKey(tx, wanted, actor));
      return keysPage(this.#options, given, { created: { name: row.name, key } });
    };
    return tryForm(create, (errors, status) =>
      keysPage(this.#options, given, { status, form: { values: typedValues(request), errors } }),
    );
  };

  revokeKey = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor, paths } = given;
    const id = String(request.params['key']);
    const revoke = async (): Promise<Result> => {
      if (id === viewer.keyId && formField(request, 'own') === '')
        throw invalid({
          own: ['Confirm that you have another key before you revoke the one that you are signed in with.'],
        });
      const { organizationId } = viewer;
      await this.#options.store.db.transaction().execute((tx) => revokeApiKey(tx, { organizationId, id }, actor));
      return redirectTo(given, paths.settings('keys'), 'key_revoked');
    };
    return tryForm(revoke, (errors) => revokePage(this.#options, id, { viewer, paths, errors }));
  };

  rotateSecret = async (given: ViewerRequest): Promise<Result> => {
    const keepPrevious = formField(given.request, 'leaked') === '';
    const { viewer, actor } = given;
    const secret = await this.#options.store.db
      .transaction()
      .execute((tx) => replaceWebhookSecret(tx, viewer.slug, keepPrevious, actor));
    return webhooksPage(this.#options, given, { secret });
  };

  testWebhook = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor, paths } = given;
    const { store } = this.#options;
    const test = async (): Promise<Result> => {
      const url = readFields(WebhookTest, { url: formField(request, 'url') }).url.trim();
      const fault = await addressFault(this.#options.guard, url);
      if (fault !== undefined) throw invalid({ url: [fault] });
      const { organizationId } = viewer;
      const id = await store.db.transaction().execute((tx) => sendTestEvent(tx, { organizationId, url }, actor));
      return redirectTo(given, paths.delivery(id));
    };
    return tryForm(test, (errors, status) =>
      webhooksPage(this.#options, given, { status, form: { values: typedValues(request), errors } }),
    );
  };

  saveConnector = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor, paths } = given;
    const save = async (): Promise<Result> => {
      const [endpoint, secret] = [formField(request, 'endpoint'), formField(request, 'secret_access_key')];
      const body = readFields(S3ConnectorBody, {
        region: formField(request, 'region').trim(),
        force_path_style: formField(request, 'force_path_style') !== '',
        ...(endpoint.trim() !== '' && { endpoint }),
        ...(secret.trim() !== '' && { secret_access_key: secret }),
        ...chosenFields(request, ['access_key_id', 'role_arn', 'encryption', 'kms_key_id', 'storage_class']),
      });
      const { name } = readFields(ConnectorReference, { name: connectorName(request) });
      const { store, queue, awsPrincipal } = this.#options;
      const isTaken = (await findS3Connector(store.db, { ...viewer, name })) !== undefined;
      if (isTaken && formField(request, 'is_new') !== '')
        throw invalid({ name: ['is the name of another connector: choose one that is free.'] });
      await saveConnector(
        store.db,
        { ...viewer, name },
        { body, guard: this.#options.guard, awsPrincipal, queue, actor },
      );
      return redirectTo(given, `${paths.settings('connectors')}?name=${name}`, 'saved');
    };
    const values = typedValues(request, ['secret_access_key']);
    return tryForm(save, (errors, status) =>
      connectorPage(this.#options, given, { status, account: { values, errors } }),
    );
  };

  checkConnector = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor, paths } = given;
    const { store, queue } = this.#options;
    const check = async (): Promise<Result> => {
      const region = formField(request, 'bucket_region').trim();
      const { bucket, key_prefix } = readFields(ConnectorCheckBody, {
        bucket: formField(request, 'bucket').trim(),
        key_prefix: formField(request, 'key_prefix'),
        ...(region !== '' && { region }),
      });
      const target = { bucket, region: region === '' ? null : region, keyPrefix: key_prefix ?? '' };
      const key = { organizationId: viewer.organizationId, name: connectorName(request) };
      await store.db.transaction().execute((tx) => requestConnectorCheck(tx, { ...key, target }, { queue, actor }));
      return redirectTo(given, `${paths.settings('connectors')}?name=${key.name}`);
    };
    return tryForm(check, ({ region, ...errors }, status) => {
      const named = { ...errors, ...(region && { bucket_region: region }) };
      return connectorPage(this.#options, given, { status, check: { values: typedValues(request), errors: named } });
    });
  };

  removeConnector = async (given: ViewerRequest): Promise<Result> => {
    const key = { organizationId: given.viewer.organizationId, name: connectorName(given.request) };
    await this.#options.store.db.transaction().execute((tx) => removeConnector(tx, key, given.actor));
    return redirectTo(given, given.paths.settings('connectors'), 'connector_removed');
  };
}

/** @returns the named fields that are not empty. */
function chosenFields(request: ViewerRequest['request'], names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, formField(request, name).trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
