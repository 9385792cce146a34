import { describe, expect, it } from 'vitest';
import { isConnectionLost } from '../../../src/db/databaseAway.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { Outage } from '../../../src/observe/outage.ts';

const SECRET = 'N0tForTheLog-0123456789_abcdefghijklmnopqrs';
const KEY = `ts_live_abcd1234_${SECRET}`;

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  let out = '';
  const destination = {
    write: (line: string) => {
      out += line;
    },
  };
  write(
    createLogger({ level: 'trace', name: 'api', destination, outages: [new Outage('the database', isConnectionLost)] }),
  );
  return out;
}

describe('logger', () => {
  it('each line is one JSON object with level, time, name and message', () => {
    const line = JSON.parse(logged((log) => log.info({ status: 200 }, 'served'))) as Record<string, unknown>;
    expect(line).toMatchObject({ level: 'info', name: 'api', status: 200, msg: 'served' });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('a child logger adds its ids to each line', () => {
    const ids = { request_id: 'r1', set_id: 's1', ad_id: 'a1', job_id: 'j1', delivery_id: 'd1' };
    expect(JSON.parse(logged((log) => log.child({ part: 'delivery' }).warn(ids, 'x')))).toMatchObject(ids);
  });

  it('lines below the level are not written', () => {
    let out = '';
    const destination = {
      write: (line: string) => {
        out += line;
      },
    };
    createLogger({ level: 'warn', name: 'api', destination }).info('quiet');
    expect(out).toBe('');
  });

  const signed = `https://bucket.s3.amazonaws.com/key.png?X-Amz-Credential=AKIA&X-Amz-Signature=${SECRET}`;
  it.each<[string, (log: ReturnType<typeof createLogger>) => void]>([
    ['an API key in a message', (log) => log.info(`key ${KEY} was used`)],
    ['an API key in a field of another name', (log) => log.info({ note: [{ deep: KEY }] }, 'x')],
    ['an Authorization header in a field', (log) => log.info({ headers: { authorization: SECRET } }, 'x')],
    ['an Authorization header in capitals', (log) => log.info({ headers: { Authorization: `Bearer ${SECRET}` } }, 'x')],
    ['a list of header values', (log) => log.info({ headers: { authorization: [SECRET, SECRET] } }, 'x')],
    ['a header in a message', (log) => log.info(`sent Authorization: ${SECRET}`)],
    ['a bearer token in a message', (log) => log.info(`with bearer ${SECRET}`)],
    ['JSON in a message', (log) => log.info(JSON.stringify({ authorization: SECRET }))],
    [
      'nested JSON in a field',
      (log) => log.info({ body: JSON.stringify({ inner: JSON.stringify({ token: SECRET }) }) }),
    ],
    ['a quote inside the secret', (log) => log.info({ password: `a"b${SECRET}"c` })],
    ['a cookie', (log) => log.info({ cookie: `session=${SECRET}` }, 'x')],
    [
      'the signature of a request to S3',
      (log) => log.info(`sent AWS4-HMAC-SHA256 Credential=AKIA/20261121, SignedHeaders=host, Signature=${SECRET}`),
    ],
    ['a webhook secret', (log) => log.info(`rotated to whsec_${SECRET}`)],
    ['a presigned address in a field', (log) => log.info({ url: signed }, 'x')],
    ['a presigned address in a message', (log) => log.info(`PUT ${signed} failed`)],
    ['a presigned address in an error', (log) => log.error({ err: new Error(`GET ${signed}: 403`) }, 'x')],
    ['an error as the only argument', (log) => log.error(new Error(`GET ${signed}: 403`))],
    ['a share link without its host', (log) => log.info({ path: `/o/demo/screenshot_sets/1?s=${SECRET}` }, 'x')],
    ['the address of a picture', (log) => log.info({ image_url: `http://127.0.0.1:8080/i/${SECRET}.png` }, 'x')],
    ['the address of a picture in capitals', (log) => log.info({ path: `/I/${SECRET}.PNG` }, 'x')],
    ['the address of a thumbnail in capitals', (log) => log.info({ path: `/I/${SECRET}/320.webp` }, 'x')],
    ['a percent-encoded address of a picture', (log) => log.info({ path: `/%69/%4E0${SECRET.slice(2)}.png` }, 'x')],
    ['a percent-encoded slash', (log) => log.info({ path: `%2FI%2f${SECRET}` }, 'x')],
    ['a share link in capitals', (log) => log.info({ path: `/S/QUJDREVGR0hJSktMTU5PUA.${SECRET}` }, 'x')],
    ['a percent-encoded share link', (log) => log.info({ path: `/%53/QUJDREVGR0hJSktMTU5PUA%2E${SECRET}` }, 'x')],
    ['a sign-in link in capitals', (log) => log.info({ path: `/SIGN-IN/${SECRET}` }, 'x')],
    ['an invitation', (log) => log.info({ path: `/invitations/${SECRET}` }, 'x')],
    ['a percent-encoded sign-in link', (log) => log.info({ path: `/s%69gn%2Din/${SECRET}` }, 'x')],
    ['the address of a share link', (log) => log.info({ path: `/s/QUJDREVGR0hJSktMTU5PUA.${SECRET}` }, 'x')],
    ['a database address', (log) => log.info(`connected to postgres://u:${SECRET}@localhost:5432/db`)],
    ['a child’s bindings', (log) => log.child({ url: signed }).info('x')],
    ['a percent-encoded API key', (log) => log.info({ path: `/%74s%5Flive_abcd1234_${SECRET}` }, 'x')],
    ['the address of an export', (log) => log.info({ path: `/e/${SECRET}/report.pdf` }, 'x')],
    ['a field’s name', (log) => log.info({ [KEY]: 1 }, 'x')],
  ])('the log redacts %s', (_what, write) => {
    const text = logged(write);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('[redacted]');
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it('the row in an error of PostgreSQL is not in the log', () => {
    const error = Object.assign(new Error('new row violates check constraint "x"'), {
      ...{ severity: 'ERROR', routine: 'ExecConstraints', table: 's3_connectors' },
      ...{ detail: `Failing row contains (1, ${SECRET}).`, where: `line 1: ${SECRET}` },
    });
    const text = logged((log) => log.error({ err: error }, 'x'));
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({ err: { table: 's3_connectors', message: error.message } });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const throwing = {
    get field(): never {
      throw new Error('a getter');
    },
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  it.each<[string, unknown]>([
    ['a text', 'superseded'],
    ['a number', 7],
    ['null', null],
    ['undefined', undefined],
    ['a BigInt', 7n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a cyclic object', cyclic],
    ['an object with a getter that throws', throwing],
    ['an error whose cause is itself', Object.assign(new Error('x'), cyclic)],
    [
      'an error with a getter that throws',
      Object.defineProperties(new Error('x'), Object.getOwnPropertyDescriptors(throwing)),
    ],
    ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: () => throwing.field })],
    ['a toJSON that throws', { toJSON: () => throwing.field }],
    ['a revoked proxy', proxy],
  ])('%s can be logged in every field', (_what, value) => {
    for (const fields of [{ error: value }, { err: value }, { other: value }, { deep: [{ error: value }] }]) {
      const line = logged((log) => log.error(fields, 'the capture failed'));
      expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'the capture failed' });
    }
  });

  it('fields that throw when they are read leave the message', () => {
    const withoutText: unknown = Object.create(null);
    const getter = {
      get err(): never {
        throw withoutText;
      },
    };
    for (const fields of [proxy, throwing, getter]) {
      const line = logged((log) => log.error(fields, 'the capture failed'));
      expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'the capture failed' });
    }
  });

  it('the id of a key and the host and path of a URL are kept', () => {
    const text = logged((log) => log.info(`${KEY} ${signed} and https://news.example/article`));
    expect(text).toContain('ts_live_abcd1234_[redacted]');
    expect(text).toContain('https://bucket.s3.amazonaws.com/key.png?[redacted]');
    expect(text).toContain('https://news.example/article');
  });

  it.each(['"token\\":', '\\', 'a.', 'https://', '://', '?s=', 'authorization: '])(
    'a line that repeats %j is cut in a limited time',
    (part) => {
      const text = logged((log) => log.info({ content: part.repeat(100_000) }));
      expect(text.length).toBeLessThan(50_000);
    },
  );
});
