/** The effects of the forms of webhook endpoints. */
import { NewWebhookEndpoint } from '../../contract/webhookEndpoints.ts';
import { sendTestEventToEndpoint } from '../../core/webhooks/testEvents.ts';
import type { OneEndpoint } from '../../core/webhooks/webhookEndpointQueries.ts';
import {
  changeEndpoint,
  checkEndpointAddress,
  createEndpoint,
  replaceEndpointSecret,
  requireEndpoint,
} from '../../core/webhooks/webhookEndpoints.ts';
import type { Queryable } from '../../db/database.ts';
import { isUuid } from '../../domain/slugs.ts';
import { ENDPOINT_TOPICS } from '../../domain/topics.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { readFields, redirectTo, tryForm, typedValues } from './adminHandlers.ts';
import { endpointPage } from './endpointPage.ts';
import { endpointsPage } from './endpointsPage.ts';

type Result = ResultsPage | 'sent' | undefined;

export class EndpointActions {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  /** GET …/endpoints/:endpoint */
  show = async (given: ViewerRequest): Promise<Result> => {
    const id = String(given.request.params['endpoint']);
    return isUuid(id) ? endpointPage(this.#options, id.toLowerCase(), given) : undefined;
  };

  create = (given: ViewerRequest): Promise<Result> => {
    const { request, viewer, actor } = given;
    const create = async (): Promise<Result> => {
      const body = readFields(NewWebhookEndpoint, {
        url: formField(request, 'url'),
        description: formField(request, 'description'),
        topics: ENDPOINT_TOPICS.filter((topic) => formField(request, `topic_${topic}`) !== ''),
      });
      await checkEndpointAddress(this.#options.guard, body.url);
      const { row, secret } = await this.#change((tx) => createEndpoint(tx, viewer.organizationId, body, actor));
      return endpointPage(this.#options, row.id, { ...given, secret });
    };
    return tryForm(create, (errors, status) =>
      endpointsPage(this.#options, given, { status, form: { values: typedValues(request), errors } }),
    );
  };

  enable = (given: ViewerRequest): Promise<Result> => this.#setDisabled(given, false);

  disable = (given: ViewerRequest): Promise<Result> => this.#setDisabled(given, true);

  rotate = (given: ViewerRequest): Promise<Result> =>
    this.#withEndpoint(given, async (one) => {
      const keepPrevious = formField(given.request, 'leaked') === '';
      const { secret } = await this.#change((tx) => replaceEndpointSecret(tx, one, keepPrevious, given.actor));
      return endpointPage(this.#options, one.id, { ...given, secret });
    });

  test = (given: ViewerRequest): Promise<Result> =>
    this.#withEndpoint(given, (one) =>
      tryForm<Result>(
        async () => {
          const delivery = await this.#change((tx) => sendTestEventToEndpoint(tx, one, given.actor));
          return redirectTo(given, given.paths.delivery(delivery));
        },
        (errors, status) => endpointPage(this.#options, one.id, { ...given, status, form: { values: {}, errors } }),
      ),
    );

  #setDisabled(given: ViewerRequest, disabled: boolean): Promise<Result> {
    return this.#withEndpoint(given, async (one) => {
      const context = { actor: given.actor, queue: this.#options.queue };
      await this.#change((tx) => changeEndpoint(tx, one, { disabled }, context));
      return redirectTo(given, `${given.paths.settings('endpoints')}/${one.id}`, 'saved');
    });
  }

  /** @returns undefined, which is answered with 404, if the address names no endpoint. */
  async #withEndpoint(given: ViewerRequest, run: (one: OneEndpoint) => Promise<Result>): Promise<Result> {
    const id = String(given.request.params['endpoint']);
    if (!isUuid(id)) return undefined;
    const one = { organizationId: given.viewer.organizationId, id: id.toLowerCase() };
    await requireEndpoint(this.#options.store.db, one);
    return run(one);
  }

  #change<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#options.store.db.transaction().execute(work);
  }
}
