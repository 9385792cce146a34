/** One `tearsheet dev` that is killed and started again on the same folder, and all that its clients need around it. */
import pg from 'pg';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { eventually } from '../../support/eventually.ts';
import { type Gates, startGates } from '../../support/gates.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Home, makeHome } from './home.ts';
import { type Starting, start } from './service.ts';

export class World {
  readonly home: Home;
  readonly publishers: Publishers;
  readonly gates: Gates;
  readonly receiver: Receiver;
  #service: Starting | undefined;
  #ready: DevReady | undefined;

  private constructor(parts: { home: Home; publishers: Publishers; gates: Gates; receiver: Receiver }) {
    this.home = parts.home;
    this.publishers = parts.publishers;
    this.gates = parts.gates;
    this.receiver = parts.receiver;
  }

  static async create(): Promise<World> {
    const [publishers, gates] = await Promise.all([startPublishers(), startGates()]);
    const receiver = await startReceiver(() => world.ready.webhook_secret);
    const world = new World({ home: makeHome(), publishers, gates, receiver });
    return world;
  }

  /** Of the latest start. */
  get ready(): DevReady {
    if (this.#ready === undefined) throw new Error('The service was not started yet.');
    return this.#ready;
  }

  get service(): Starting {
    if (this.#service === undefined) throw new Error('The service was not started yet.');
    return this.#service;
  }

  async start(): Promise<DevReady> {
    this.#service = start(this.home);
    this.#ready = await this.#service.ready;
    return this.#ready;
  }

  /** Begins a start and does not wait for it. */
  begin(): Starting {
    this.#service = start(this.home);
    return this.#service;
  }

  /** Each call reads as the client does, from the service as it is at this moment. */
  async call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const { url, organization, api_key } = this.ready;
    const response = await fetch(`${url}/api/v1/orgs/${organization}${path}`, {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
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
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined); // Its server may be killed at any moment; the query below says so.
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until a query has a row. */
  async seen(sql: string, values: unknown[]): Promise<void> {
    await eventually(async () => {
      if ((await this.rows(sql, values)).length === 0) throw new Error(`Nothing was found by: ${sql}`);
    });
  }

  async close(): Promise<void> {
    await this.home.remove();
    await Promise.all([this.publishers.close(), this.gates.close(), this.receiver.close()]);
  }
}
