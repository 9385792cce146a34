import { lookup as systemLookup } from 'node:dns/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { isLocalhostName, parseHost } from './addresses.ts';
import { ConnectionFailedError, EgressRefusedError, HostNotFoundError, NetworkTimeoutError } from './errors.ts';
import { createPolicy, type Policy } from './policy.ts';

export { EgressRefusedError } from './errors.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All addresses of a name. @throws the resolver's own error when there are none. */
export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>;

export interface ConnectOptions {
  signal?: AbortSignal;
  /** Refuses what the guard itself would allow, in words; asked for each address. */
  refuse?: Policy;
}

/** Judges and makes every outbound connection: resolve once, refuse unless all answers are allowed, connect to that address. */
export interface Guard {
  /**
   * @throws EgressRefusedError when the address may not be reached, HostNotFoundError when there is none,
   *   NetworkTimeoutError when the resolver did not answer.
   */
  resolve(host: string, port: number): Promise<ResolvedAddress>;
  /** Resolves, judges and connects, with a deadline. @throws as `resolve`, and ConnectionFailedError. */
  connect(host: string, port: number, options?: ConnectOptions): Promise<Socket>;
}

export interface GuardOptions {
  /** CIDR ranges that may be reached although they are not public, on every port. */
  allow: readonly string[];
  lookup?: Lookup;
  /** For the look-up and all connection attempts together. */
  connectTimeoutMs?: number;
}

/** @throws Error for a range in `allow` that cannot be read. */
export function createGuard(options: GuardOptions): Guard {
  const policy = createPolicy(options.allow);
  const lookup = options.lookup ?? ((name: string) => systemLookup(name, { all: true, order: 'verbatim' }));
  const timeoutMs = options.connectTimeoutMs ?? 10_000;

  async function judged(host: string, port: number, deadline: Deadline, refuse?: Policy): Promise<ResolvedAddress[]> {
    const answers = await addressesOf(host, lookup, deadline);
    for (const { address } of answers) {
      const reason = policy(address, port);
      if (reason !== undefined) throw refusal({ host, port, address }, `${reason}. ${HINT}`);
      const ownReason = refuse?.(address, port);
      if (ownReason !== undefined) throw refusal({ host, port, address }, `${ownReason}.`);
    }
    return answers;
  }

  return {
    async resolve(host, port) {
      const [first] = await judged(host, port, startDeadline(timeoutMs));
      if (first === undefined) throw new HostNotFoundError(`${host} has no address`);
      return first;
    },
    async connect(host, port, { signal, refuse } = {}) {
      const deadline = startDeadline(timeoutMs, signal);
      return connectToFirst(await judged(host, port, deadline, refuse), { host, port, deadline });
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
  if (host === undefined) throw new EgressRefusedError(`"${text.slice(0, 255)}" is not a host that can be reached.`);
  if (host.kind === 'address') return [withFamily(host.address)];
  if (isLocalhostName(host.name)) return [{ address: '127.0.0.1', family: 4 }];
  const answers = await withDeadline(
    lookup(host.name),
    deadline,
    `The name ${host.name} was not resolved in time.`,
  ).catch((cause: unknown) => {
    throw cause instanceof NetworkTimeoutError
      ? cause
      : new HostNotFoundError(`The name ${host.name} has no address.`, { cause });
  });
  if (answers.length === 0) throw new HostNotFoundError(`The name ${host.name} has no address.`);
  return answers.map(({ address }) => withFamily(address));
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

const HINT = 'An operator can open a range of addresses with EGRESS_ALLOW.';

function refusal(to: { host: string; port: number; address: string }, why: string): EgressRefusedError {
  const where = to.host === to.address ? `${to.host}:${to.port}` : `${to.host}:${to.port} (${to.address})`;
  return new EgressRefusedError(`Connection to ${where} refused: ${why}`);
}

interface Target {
  host: string;
  port: number;
  deadline: Deadline;
}

/** Tries the judged addresses in turn; no attempt but the last may use up the whole time. */
async function connectToFirst(addresses: readonly ResolvedAddress[], target: Target): Promise<Socket> {
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

function connectTo(address: string, { host, port, deadline }: Target, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = openSocket({ host: address, port });
    const fail = (error: Error) => {
      stopWatching();
      socket.destroy();
      reject(error);
    };
    const late = () => fail(new NetworkTimeoutError(`No connection to ${host}:${port} in time.`));
    const broken = (cause: Error) =>
      fail(new ConnectionFailedError(`No connection to ${host}:${port}: ${reasonOf(cause)}.`, { cause }));
    const timer = setTimeout(late, timeoutMs);
    const stopWatching = () => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', late);
      socket.off('error', broken);
      // Whoever takes the socket adds listeners of their own; a reset before that must not end the process.
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
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
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
