import { lookup as systemLookup } from 'node:dns/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { isLocalhostName, isWithin, parseHost, parseRange, whyNotPublic } from './addresses.ts';
import { ConnectionFailedError, EgressRefusedError, HostNotFoundError, NetworkTimeoutError } from './errors.ts';

/** @returns why an address and port must not be reached, or undefined if they may. */
type Policy = (address: string, port: number) => string | undefined;

/**
 * Ports above 1023 of databases, caches, queues and control planes. They are refused on public addresses, too: no ad is
 * served there, and an HTTP request can control many of these protocols.
 */
const INFRASTRUCTURE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4222, 4369, 4789, 5432, 5601, 5672, 5900, 5984,
  5985, 6000, 6379, 6380, 6443, 7000, 7001, 7946, 8086, 8125, 8300, 8301, 8500, 8600, 9042, 9090, 9092, 9100, 9200,
  9300, 10248, 10249, 10250, 10255, 10256, 10257, 10259, 11211, 15672, 16379, 26257, 26379, 27017, 27018, 27019,
]);

export { EgressRefusedError } from './errors.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** @returns all addresses of a name. @throws the error of the resolver if there are none. */
export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>;

export interface ConnectOptions {
  signal?: AbortSignal;
  /** An additional policy for each address that the guard allows. */
  refuse?: Policy;
}

/** Makes outgoing connections, each of which a guard has allowed. */
export interface Connector {
  /** Resolves, checks and connects before a deadline. @throws like {@link Guard.resolve}, ConnectionFailedError, LocationUnavailableError. */
  connect(host: string, port: number, options?: ConnectOptions): Promise<Socket>;
}

/**
 * Checks and makes every outgoing connection. It resolves the name once, refuses the connection unless all addresses are
 * allowed, and connects to a checked address.
 */
export interface Guard extends Connector {
  /**
   * @throws EgressRefusedError if an address is not allowed, HostNotFoundError if there is no address, or
   *   NetworkTimeoutError if the resolver does not answer.
   */
  resolve(host: string, port: number): Promise<ResolvedAddress>;
}

export interface GuardOptions {
  /** Ranges that are allowed although they are not public, as `parseRange` reads them. */
  allow: readonly string[];
  /** How the person who reads a refusal allows an address: by the flag --allow, or by default by the setting EGRESS_ALLOW. */
  allowWith?: 'flag' | 'setting' | undefined;
  lookup?: Lookup;
  /** The deadline of the lookup and all connection attempts together. */
  connectTimeoutMs?: number;
}

/** @throws Error for an invalid range in `allow`. */
export function createGuard(options: GuardOptions): Guard {
  const policy = createPolicy(options.allow);
  const lookup = options.lookup ?? ((name: string) => systemLookup(name, { all: true, order: 'verbatim' }));
  const timeoutMs = options.connectTimeoutMs ?? 10_000;

  async function resolveAllowed(
    host: string,
    port: number,
    deadline: Deadline,
    refuse?: Policy,
  ): Promise<ResolvedAddress[]> {
    const answers = await addressesOf(host, lookup, deadline);
    for (const { address } of answers) {
      const reason = policy(address, port);
      if (reason !== undefined) throw refusal({ host, port, address }, reason, options.allowWith);
      const ownReason = refuse?.(address, port);
      if (ownReason !== undefined) throw new EgressRefusedError(`Connection to ${host}:${port} refused: ${ownReason}.`);
    }
    return answers;
  }

  return {
    async resolve(host, port) {
      const [first] = await resolveAllowed(host, port, startDeadline(timeoutMs));
      if (first === undefined) throw hostNotFound(host);
      return first;
    },
    async connect(host, port, { signal, refuse } = {}) {
      const deadline = startDeadline(timeoutMs, signal);
      return connectToFirst(await resolveAllowed(host, port, deadline, refuse), { host, port, deadline });
    },
  };
}

interface Deadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
}

function startDeadline(ms: number, signal?: AbortSignal): Deadline {
  const end = performance.now() + ms;
  const timeout = AbortSignal.timeout(ms);
  return {
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    remainingMs: () => Math.max(1, end - performance.now()),
  };
}

async function addressesOf(text: string, lookup: Lookup, deadline: Deadline): Promise<ResolvedAddress[]> {
  const host = parseHost(text);
  if (host === undefined) throw new EgressRefusedError(`"${text.slice(0, 255)}" is not a valid host.`);
  if (host.kind === 'address') return [withFamily(host.address)];
  if (isLocalhostName(host.name)) return [{ address: '127.0.0.1', family: 4 }];
  const answers = await withDeadline(
    lookup(host.name),
    deadline,
    `${host.name} could not be resolved in time (DNS).`,
  ).catch((cause: unknown) => {
    throw cause instanceof NetworkTimeoutError ? cause : hostNotFound(host.name, cause);
  });
  if (answers.length === 0) throw hostNotFound(host.name);
  return answers.map(({ address }) => withFamily(address));
}

function hostNotFound(name: string, cause?: unknown): HostNotFoundError {
  return new HostNotFoundError(`${name} could not be found (DNS).`, { cause });
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

function hintFor({ address, port }: { address: string; port: number }, allowWith: GuardOptions['allowWith']): string {
  if (allowWith !== 'flag') return 'An operator can allow a range of addresses with EGRESS_ALLOW.';
  return `To allow it, add --allow ${address.includes(':') ? `[${address}]` : address}:${port}`;
}

interface RefusedAddress {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/**
 * Customers of a service read the message, so it does not say what a name of the operator's network resolves to. A person
 * with flags resolves names on their own machine, and sees the address to allow.
 */
function refusal(to: RefusedAddress, reason: string, allowWith: GuardOptions['allowWith']): EgressRefusedError {
  const { host, port, address } = to;
  const parsed = parseHost(host);
  const isFromDns = parsed?.kind === 'name' && !isLocalhostName(parsed.name);
  const hint = hintFor(to, allowWith);
  if (allowWith !== 'flag' && isFromDns)
    return new EgressRefusedError(`Connection to ${host}:${port} refused: ${HIDDEN_REASON}. ${hint}`);
  const where = host === address ? `${host}:${port}` : `${host}:${port} (${address})`;
  return new EgressRefusedError(`Connection to ${where} refused: ${reason}. ${hint}`);
}

const HIDDEN_REASON = 'it is not a public address, or its port is not a web port';

interface ConnectTarget {
  host: string;
  port: number;
  deadline: Deadline;
}

/** Tries the checked addresses one after the other. Each attempt except the last leaves time for the next one. */
async function connectToFirst(addresses: readonly ResolvedAddress[], target: ConnectTarget): Promise<Socket> {
  let failure: unknown;
  for (const [index, { address }] of addresses.entries()) {
    const left = target.deadline.remainingMs();
    const timeoutMs = index === addresses.length - 1 ? left : left / 2;
    try {
      return await connectTo(address, target, timeoutMs);
    } catch (error) {
      failure = error;
      if (target.deadline.signal.aborted) break;
    }
  }
  throw failure;
}

function connectTo(address: string, { host, port, deadline }: ConnectTarget, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = openSocket({ host: address, port });
    const fail = (error: Error) => {
      stopWatching();
      socket.destroy();
      reject(error);
    };
    const late = () => fail(new NetworkTimeoutError(`The connection to ${host}:${port} was not established in time.`));
    const broken = (cause: Error) =>
      fail(new ConnectionFailedError(`The connection to ${host}:${port} failed: ${reasonOf(cause)}.`, { cause }));
    const timer = setTimeout(late, timeoutMs);
    const stopWatching = () => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', late);
      socket.off('error', broken);
      // A reset before the caller adds its own listener must not end the process.
      socket.on('error', () => socket.destroy());
    };
    deadline.signal.addEventListener('abort', late, { once: true });
    socket.once('error', broken);
    socket.once('connect', () => {
      stopWatching();
      resolve(socket.setNoDelay(true));
    });
    if (deadline.signal.aborted) late();
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return REASONS[code] ?? (code || error.message);
}

function withDeadline<T>(work: Promise<T>, deadline: Deadline, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new NetworkTimeoutError(message));
    deadline.signal.addEventListener('abort', late, { once: true });
    if (deadline.signal.aborted) late();
    work.then(resolve, reject).finally(() => deadline.signal.removeEventListener('abort', late));
  });
}

/** @throws Error for an invalid range. */
function createPolicy(allow: readonly string[]): Policy {
  const allowed = allow.map(parseRange);
  return (address, port) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${port} is not a port`;
    if (isWithin({ address, port }, allowed)) return undefined;
    return whyNotPublic(address) ?? whyNotPort(port);
  };
}

function whyNotPort(port: number): string | undefined {
  if (port === 80 || port === 443) return undefined;
  if (port < 1024) return `port ${port} is reserved for services other than the web`;
  return INFRASTRUCTURE_PORTS.has(port) ? `port ${port} is commonly used by infrastructure services` : undefined;
}
