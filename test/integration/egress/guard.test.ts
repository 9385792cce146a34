import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HostNotFoundError, NetworkTimeoutError } from '../../../src/egress/errors.ts';
import { createGuard, EgressRefusedError } from '../../../src/egress/guard.ts';
import { HOSTILE_ANSWERS, HOSTILE_HOSTS } from '../../support/hostileAddresses.ts';
import { type Listener, listen } from '../../support/listeners.ts';

let listener: Listener;
beforeEach(async () => {
  listener = await listen();
});
afterEach(() => listener.close());

/** A name server that gives its answers one after the other and then repeats the last one. */
function answering(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { lookup, times: () => asked };
}

describe('a guard without allowed ranges', () => {
  test.each(HOSTILE_HOSTS)('%s is refused before any connection', async (host) => {
    const guard = createGuard({ allow: [] });
    await expect(guard.connect(host, listener.port)).rejects.toThrow(EgressRefusedError);
    await expect(guard.resolve(host, listener.port)).rejects.toThrow(EgressRefusedError);
    expect(listener.connections).toBe(0);
  });

  test.each(HOSTILE_ANSWERS)('a name that resolves to %s is refused before any connection', async (answer) => {
    const guard = createGuard({ allow: [], lookup: answering(answer.split(' ')).lookup });
    await expect(guard.connect('127.0.0.1.nip.example', listener.port)).rejects.toThrow(EgressRefusedError);
    expect(listener.connections).toBe(0);
  });

  test.each([1, 21, 22, 25, 110, 445, 3306, 5432, 6379, 9200, 10250, 11211, 27017, 2379, 6443, 0, 65_536])(
    'port %i of a public address is refused',
    async (port) => {
      await expect(createGuard({ allow: [] }).resolve('93.184.216.34', port)).rejects.toThrow(EgressRefusedError);
    },
  );

  test.each([80, 443, 8080, 8443, 3000, 50_000])('port %i of a public address is allowed', async (port) => {
    const resolved = await createGuard({ allow: [] }).resolve('93.184.216.34', port);
    expect(resolved).toEqual({ address: '93.184.216.34', family: 4 });
  });

  test('a refusal names the host and the setting that allows it, but not what the name resolves to', async () => {
    const guard = createGuard({ allow: [], lookup: answering(['10.1.2.3']).lookup });
    await expect(guard.connect('intranet.example', 80)).rejects.toThrow(
      'Connection to intranet.example:80 refused: it is not a public address, or its port is not a web port. ' +
        'An operator can allow a range of addresses with EGRESS_ALLOW.',
    );
  });

  test('a refusal of a written address names the reason', async () => {
    await expect(createGuard({ allow: [] }).connect('10.1.2.3', 80)).rejects.toThrow(
      'Connection to 10.1.2.3:80 refused: it is not a public address (private). ' +
        'An operator can allow a range of addresses with EGRESS_ALLOW.',
    );
  });
});

test('a refusal of a command with flags names the flag and the address to allow', async () => {
  const guard = createGuard({ allow: [], allowWith: 'flag' });
  await expect(guard.connect('localhost', 3000)).rejects.toThrow(
    /loopback.*To allow it, add --allow 127\.0\.0\.1:3000$/,
  );
  await expect(guard.connect('[::1]', 3000)).rejects.toThrow(/add --allow \[::1\]:3000$/);
  const named = createGuard({ allow: [], allowWith: 'flag', lookup: answering(['10.1.2.3']).lookup });
  await expect(named.connect('intranet.example', 80)).rejects.toThrow(/\(10\.1\.2\.3\).*--allow 10\.1\.2\.3:80$/);
});

describe('a guard with an allowed range', () => {
  test.each(['127.0.0.1', 'localhost', 'shop.localhost.', '0x7f.1', '[::ffff:7f00:1]'])(
    'an address in the allowed range is reached on any port: %s',
    async (host) => {
      const socket = await createGuard({ allow: ['127.0.0.0/8'] }).connect(host, listener.port);
      expect(socket.remoteAddress).toBe('127.0.0.1');
      socket.destroy();
      expect(listener.connections).toBe(1);
    },
  );

  test('one address outside the allowed range refuses the whole name', async () => {
    const guard = createGuard({ allow: ['127.0.0.0/8'], lookup: answering(['127.0.0.1', '10.0.0.1']).lookup });
    await expect(guard.connect('mixed.example', listener.port)).rejects.toThrow(EgressRefusedError);
    expect(listener.connections).toBe(0);
  });

  test('localhost is resolved without a name server', async () => {
    const names = answering(['93.184.216.34']);
    await createGuard({ allow: ['127.0.0.0/8'], lookup: names.lookup }).resolve('a.localhost', 80);
    expect(names.times()).toBe(0);
  });
});

test('a name is resolved once, so a later change has no effect', async () => {
  const names = answering(['127.0.0.2'], ['127.0.0.1']);
  const guard = createGuard({ allow: ['127.0.0.2/32'], lookup: names.lookup });
  await expect(guard.connect('rebinding.example', listener.port)).rejects.toThrow('connection refused');
  expect(names.times()).toBe(1);
  expect(listener.connections).toBe(0);
});

test('the next address of a name is tried if the first one does not answer', async () => {
  const guard = createGuard({ allow: ['127.0.0.0/8'], lookup: answering(['127.0.0.3', '127.0.0.1']).lookup });
  const socket = await guard.connect('two.example', listener.port);
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
});

test('a name without an address is not found', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
  for (const lookup of [failing, async () => []]) {
    await expect(createGuard({ allow: [], lookup }).connect('nowhere.example', 80)).rejects.toThrow(HostNotFoundError);
  }
});

test('a name server that never answers causes a timeout', async () => {
  const guard = createGuard({ allow: [], lookup: () => new Promise(() => undefined), connectTimeoutMs: 50 });
  const attempt = guard.connect('silent.example', 80);
  await expect(attempt).rejects.toThrow(NetworkTimeoutError);
});

test('an aborted connection is not made', async () => {
  const gone = AbortSignal.abort();
  const guard = createGuard({ allow: ['127.0.0.0/8'] });
  await expect(guard.connect('127.0.0.1', listener.port, { signal: gone })).rejects.toThrow(NetworkTimeoutError);
});
