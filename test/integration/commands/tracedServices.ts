/** `tearsheet api` and `tearsheet controller` with real captures, whose traces a collector receives. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../src/db/database.ts';
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEY_RING, TEST_KEYS } from '../../support/testKeys.ts';

export const SECRETS = {
  query: 'query-of-the-site',
  hook: 'token-of-the-hook',
  baggage: 'baggage-of-the-client',
  collector: 'collector-token',
};

interface Running {
  readonly api: ServiceProcess;
  readonly controller: ServiceProcess;
  readonly url: string;
  readonly metrics: string;
}

export class TracedServices {
  /** Exports to the collector. */
  traced!: Running;
  publishers!: Publishers;
  collector!: OtlpReceiver;
  key!: { readonly api_key: string; readonly webhook_secret: string };
  /** The `traceparent` of each webhook, by the id of its set. */
  readonly heard = new Map<string, string | undefined>();
  #folder!: string;
  #database!: TestDatabase;
  #hooks!: Listener;
  readonly #services: ServiceProcess[] = [];

  async open(): Promise<void> {
    this.#folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-traces-'));
    this.#database = await testDatabase();
    [this.publishers, this.collector] = await Promise.all([startPublishers(), startOtlpReceiver()]);
    this.#hooks = await listenHttp(async (request, response) => {
      const body = (await new Response(request as never).json()) as { data: { object: { id: string } } };
      this.heard.set(body.data.object.id, request.headers['traceparent'] as string | undefined);
      response.writeHead(204).end();
    });
    const store = openStore({ url: this.#database.url, maxConnections: 1, keyRing: TEST_KEY_RING });
    this.key = await createOrganization(store.db, { slug: 'acme' });
    await store.close();
    this.traced = await this.begin({
      OTEL_EXPORTER_OTLP_ENDPOINT: this.collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRETS.collector}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([this.#hooks, this.publishers, this.collector].map((each) => each.close()));
    await this.#database.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async begin(otel: Readonly<Record<string, string>>): Promise<Running> {
    const [port, internalPort, apiMetrics, controllerMetrics] = await Promise.all([1, 2, 3, 4].map(freePort));
    const env = {
      ...{ DATABASE_URL: this.#database.url, SECRETS_KEYS: TEST_KEYS, HOST: '127.0.0.1', PORT: String(port) },
      ARTIFACTS_URL: pathToFileURL(path.join(this.#folder, 'pictures')).href,
      ...{ INTERNAL_PORT: String(internalPort), INTERNAL_URL: `http://127.0.0.1:${internalPort}` },
      ...{ PUBLIC_URL: `http://127.0.0.1:${port}`, EGRESS_ALLOW: '127.0.0.0/8', CAPTURE_PARALLELISM: '1' },
      ...{ TMPDIR: this.#folder, ...otel },
    };
    const api = startService(['api'], { ...env, METRICS_PORT: String(apiMetrics) });
    const controller = startService(['controller'], { ...env, METRICS_PORT: String(controllerMetrics) });
    this.#services.push(api, controller);
    await Promise.all([api.says('ready'), controller.says('ready')]);
    return {
      ...{ api, controller, url: `${env.PUBLIC_URL}/api/v1/orgs/acme` },
      metrics: `http://127.0.0.1:${controllerMetrics}/metrics`,
    };
  }

  /** @returns the exit codes of all services. */
  async stop(): Promise<(number | null)[]> {
    for (const service of this.#services) service.kill('SIGTERM');
    return Promise.all(this.#services.splice(0).map(({ ended }) => ended));
  }

  /** @returns the id of the set. */
  async post(path: string, body: object, traceparent: string): Promise<string> {
    const answer = await fetch(`${this.traced.url}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: this.key.api_key, 'content-type': 'application/json' },
        ...{ baggage: `user=${SECRETS.baggage}`, traceparent },
      },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.clone().text()).toBe(202);
    return ((await answer.json()) as { id: string }).id;
  }

  request(site = `${this.publishers.url('blog')}?secret=${SECRETS.query}`): object {
    const content = `<img src="${this.publishers.cdn}/media/marlow.jpg" width="300" height="250" alt="">`;
    return {
      campaign: { name: 'Spring' },
      screenshot_requests: [
        {
          ad: { name: 'A picture', media: { type: 'html_tag', content } },
          screenshots: [{ site: { url: site }, device: { name: 'desktop' } }],
        },
      ],
      subscribers: [{ webhook: { url: `${this.#hooks.url}/${SECRETS.hook}?key=${SECRETS.hook}` } }],
    };
  }

  delivered(id: string): Promise<void> {
    return eventually(() => expect([...this.heard.keys()]).toContain(id), 250_000);
  }

  spansOf(traceparent: string): ReceivedSpan[] {
    return this.collector.spans.filter(({ traceId }) => traceId === traceIdOf(traceparent));
  }

  /** Waits for the spans with these names and for the parent of each. */
  completeSpansOf(traceparent: string, names: string[]): Promise<ReceivedSpan[]> {
    return eventually(() => {
      const spans = this.spansOf(traceparent);
      expect([...namesOf(spans)]).toEqual(expect.arrayContaining(names));
      expect(orphansOf(spans, traceparent)).toEqual([]);
      return spans;
    });
  }
}

export const newTraceparent = (flags = '01') =>
  `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${flags}`;
export const traceIdOf = (traceparent = '') => traceparent.split('-')[1] ?? '';
export const namesOf = (spans: readonly ReceivedSpan[]) => new Set(spans.map(({ name }) => name));

/** Spans whose parent is neither in the trace nor the client's. */
function orphansOf(spans: readonly ReceivedSpan[], traceparent: string): string[] {
  const known = new Set([...spans.map(({ spanId }) => spanId), traceparent.split('-')[2]]);
  return spans.filter(({ parentId }) => !known.has(parentId)).map(({ name }) => name);
}
