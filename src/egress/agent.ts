import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { NetworkTimeoutError, TlsError } from './errors.ts';
import type { Guard } from './guard.ts';
import { tlsWords } from './tlsWords.ts';

type Created = (error: Error | null, stream: Duplex) => void;

export interface AgentOptions {
  keepAlive?: boolean;
  /** For the TLS handshake; the guard has its own deadline for the connection. */
  handshakeTimeoutMs?: number;
}

/** Agents for `node:http` and `node:https` (and all that take such, as the AWS SDK) that connect through the guard. */
export function guardedAgents(
  guard: Guard,
  options: AgentOptions = {},
): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const { keepAlive = true } = options;
  return {
    httpAgent: new GuardedHttpAgent(guard, keepAlive),
    httpsAgent: new GuardedHttpsAgent(guard, keepAlive, options.handshakeTimeoutMs ?? 10_000),
  };
}

class GuardedHttpAgent extends HttpAgent {
  readonly #guard: Guard;

  constructor(guard: Guard, keepAlive: boolean) {
    super({ keepAlive });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, created?: Created): undefined {
    hand(this.#guard.connect(options.host ?? '', Number(options.port ?? 80)), created);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #guard: Guard;
  readonly #timeoutMs: number;

  constructor(guard: Guard, keepAlive: boolean, timeoutMs: number) {
    super({ keepAlive });
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(options: RequestOptions, created?: Created): undefined {
    const host = options.host ?? '';
    const secured = this.#guard
      .connect(host, Number(options.port ?? 443))
      .then((socket) => handshake(socket, { ...options, host, timeoutMs: this.#timeoutMs }));
    hand(secured, created);
  }
}

function hand(connection: Promise<Socket>, created: Created | undefined): void {
  // Node's types ask for a stream beside an error; its agents read the error alone.
  connection.then(
    (socket) => created?.(null, socket),
    (error: Error) => created?.(error, Object.create(null)),
  );
}

function handshake(
  socket: Socket,
  { timeoutMs, host, ...options }: RequestOptions & { host: string; timeoutMs: number },
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = startTls({ ...tlsOptions(options), socket, host });
    const fail = (error: Error) => {
      clearTimeout(timer);
      secure.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new NetworkTimeoutError(`The TLS handshake with ${host} was not done in time.`)),
      timeoutMs,
    );
    secure.on('error', (cause) => fail(new TlsError(`No TLS with ${host}: ${tlsWords(cause)}.`, { cause })));
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(secure);
    });
  });
}

function tlsOptions({ servername, ca, rejectUnauthorized }: RequestOptions) {
  return {
    ...(servername !== undefined && servername !== '' && { servername }),
    ...(ca !== undefined && { ca }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}
