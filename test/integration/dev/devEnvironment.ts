/** One `tearsheet dev` that tests kill and restart on the same folders, with publishers, creatives and a webhook receiver. */
import pg from 'pg';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { eventually } from '../../support/eventually.ts';
import { type RequestGate, startRequestGate } from '../../support/requestGate.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhookReceiver.ts';
import { type DevProcess, startDev } from './devProcess.ts';
import { createServiceFolders, type ServiceFolders } from './serviceFolders.ts';

export class DevEnvironment {
  readonly folders: ServiceFolders;
  readonly publishers: Publishers;
  readonly requestGate: RequestGate;
  readonly receiver: WebhookReceiver;
  #service: DevProcess | undefined;
  #ready: DevReady | undefined;

  private constructor(parts: {
    folders: ServiceFolders;
    publishers: Publishers;
    requestGate: RequestGate;
    receiver: WebhookReceiver;
  }) {
    this.folders = parts.folders;
    this.publishers = parts.publishers;
    this.requestGate = parts.requestGate;
    this.receiver = parts.receiver;
  }

  static async create(): Promise<DevEnvironment> {
    const [publishers, requestGate] = await Promise.all([startPublishers(), startRequestGate()]);
    const receiver = await startWebhookReceiver(() => env.ready.webhook_secret);
    const env = new DevEnvironment({ folders: createServiceFolders(), publishers, requestGate, receiver });
    return env;
  }

  /** The ready line of the latest start. */
  get ready(): DevReady {
    if (this.#ready === undefined) throw new Error('The service was not started yet.');
    return this.#ready;
  }

  get service(): DevProcess {
    if (this.#service === undefined) throw new Error('The service was not started yet.');
    return this.#service;
  }

  async start(variables: Readonly<Record<string, string>> = {}): Promise<DevReady> {
    this.#service = startDev(this.folders, { env: variables });
    this.#ready = await this.#service.ready;
    return this.#ready;
  }

  /** Starts the service and does not wait until it is ready. */
  begin(): DevProcess {
    this.#service = startDev(this.folders);
    return this.#service;
  }

  /** Calls the public API of the running service. */
  async call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const { url, organization, api_key } = this.ready;
    const response = await fetch(`${url}/api/v1/orgs/${organization}${path}`, {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async rows<T extends pg.QueryResultRow>(
    sql: string,
    values: unknown[] = [],
    connectionString = this.ready.database_url,
  ): Promise<T[]> {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 60_000 });
    client.on('error', () => undefined); // A test may kill the server; the query below then fails.
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until a query returns a row. */
  async waitForRow(sql: string, values: unknown[]): Promise<void> {
    await eventually(async () => {
      if ((await this.rows(sql, values)).length === 0) throw new Error(`Nothing was found by: ${sql}`);
    });
  }

  async close(): Promise<void> {
    await this.folders.remove();
    await Promise.all([this.publishers.close(), this.requestGate.close(), this.receiver.close()]);
  }
}
