import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeTlsError } from '../../../src/egress/errors.ts';
import { type Listener, listen } from '../../support/listeners.ts';

let server: Listener;
beforeAll(async () => {
  server = await listen((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
});
afterAll(() => server.close());

test('a server without TLS is reported without source files of OpenSSL', async () => {
  const error = await new Promise<Error>((resolve) => connect(server.port, '127.0.0.1').once('error', resolve));
  expect(error.message).toContain('openssl');
  expect(describeTlsError(error)).toBe('it does not speak TLS on this port');
});

test('an unknown TLS error keeps the reason of OpenSSL', () => {
  const error = Object.assign(new Error('0:error:0A:SSL routines:f:dh key too small:../x.c:1:\n'), {
    code: 'ERR_SSL_DH_KEY_TOO_SMALL',
    reason: 'dh key too small',
  });
  expect(describeTlsError(error)).toBe('dh key too small');
  expect(describeTlsError(new Error('socket hang up\n'))).toBe('socket hang up');
});
