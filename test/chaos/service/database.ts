/** The PostgreSQL of a run. It is started again whenever it ends. The service reaches it through a relay. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { eventually } from '../../support/eventually.ts';
import { type Relay, startRelay } from './relay.ts';

const RESTART_TRIES = 20;

export class ChaosDatabase {
  readonly relay: Relay;
  readonly #host: string;
  readonly #folder: string;
  readonly #password: string;
  readonly #port: number;
  #server: EmbeddedPostgres | undefined;
  #stopping = false;
  #isRestarting = false;
  /** Called when the server is back after it was killed, with the seconds that it was away. */
  onRestart: (seconds: number) => void = () => undefined;

  private constructor(given: { relay: Relay; host: string; folder: string; password: string; port: number }) {
    this.#host = given.host;
    this.relay = given.relay;
    this.#folder = given.folder;
    this.#password = given.password;
    this.#port = given.port;
  }

  /** @param host where the service reaches it. */
  static async start(root: string, host = '127.0.0.1'): Promise<ChaosDatabase> {
    const port = await freePort();
    const given = { folder: path.join(root, 'postgres'), password: randomBytes(12).toString('hex'), port };
    const database = new ChaosDatabase({ ...given, relay: await startRelay([port], { host }), host });
    await database.#start();
    return database;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** The address that the service uses. */
  get serviceUrl(): string {
    return `postgres://postgres:${this.#password}@${this.#host}:${this.relay.port}/tearsheet`;
  }

  /** The address without the relay. */
  get directUrl(): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/tearsheet`;
  }

  /** A query of the harness, past the relay; repeated until the server answers. */
  rows<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return eventually(() => this.rowsNow<T>(sql, values));
  }

  /** @throws the error of the query or of the connection. */
  async rowsNow<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({
      connectionString: this.directUrl,
      application_name: 'chaos',
      connectionTimeoutMillis: 5_000,
      query_timeout: 20_000,
    });
    // The server may be killed at any moment; the query below then fails.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#server?.stop();
    await this.relay.close();
  }

  async #start(): Promise<void> {
    const server = await startEmbeddedPostgres({
      folder: this.#folder,
      password: this.#password,
      port: this.#port,
      onExit: () => void this.#restart(),
    });
    this.#server = server;
  }

  /** Two starts at the same time would stop each other's server, so the exit of a server that is being started only repeats the start. */
  async #restart(): Promise<void> {
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    this.#server = undefined;
    const killed = performance.now();
    for (let tries = 1; !this.#stopping; tries++) {
      try {
        await this.#start();
        break;
      } catch (error) {
        if (tries === RESTART_TRIES) throw error;
        console.error('PostgreSQL did not start again, retrying:', error);
        await sleep(500);
      }
    }
    this.#isRestarting = false;
    this.onRestart((performance.now() - killed) / 1_000);
  }
}
