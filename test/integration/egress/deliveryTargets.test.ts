/** Addresses that no client may reach, as the target of a webhook and as the endpoint of a connector. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { uploadToBucket } from '../../../src/core/buckets/s3Client.ts';
import { createWebhookFetch, sendWebhook } from '../../../src/core/webhooks/webhook.ts';
import { addressFault } from '../../../src/egress/addressFault.ts';
import { createGuard, type Guard } from '../../../src/egress/guard.ts';
import { type Listener, listen, listenHttp } from '../../support/listeners.ts';

let trap: Listener;
beforeEach(async () => {
  trap = await listen();
});
afterEach(() => trap.close());

function webhookTo(url: string, guard: Guard) {
  const event = { eventId: 'evt_1', payload: '{}', secrets: ['whsec_AAAA'], now: () => new Date() };
  return sendWebhook({ ...event, url, fetch: createWebhookFetch(guard) });
}

function uploadTo(endpoint: string, guard: Guard) {
  const connector = { endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', forcePathStyle: true };
  const object = { bucket: 'pictures', key: 'k', bytes: Buffer.from('x'), contentType: 'image/png' };
  return uploadToBucket({ connector, ...object, guard });
}

async function expectRefused(address: string, guard: Guard): Promise<void> {
  expect(await webhookTo(address, guard)).toMatchObject({ outcome: 'refused' });
  expect(await uploadTo(address, guard)).toMatchObject({ outcome: 'refused' });
  expect(await addressFault(guard, address)).toMatch(/^is not allowed/);
  expect(trap.connections).toBe(0);
}

// guard.test.ts has all spellings of such addresses.
test('an address of this machine gets neither a webhook nor an upload', async () => {
  const guard = createGuard({ allow: [] });
  for (const scheme of ['http', 'https']) await expectRefused(`${scheme}://0x7f.1:${trap.port}`, guard);
});

test('a name that resolves to an address of this machine gets neither a webhook nor an upload', async () => {
  const lookup = async () => ['93.184.216.34', '127.0.0.1'].map((address) => ({ address, family: 4 }));
  await expectRefused(`http://127.0.0.1.nip.example:${trap.port}`, createGuard({ allow: [], lookup }));
});

test.each([301, 302, 307, 308])('a redirect (%i) of a receiver or an S3 server is not followed', async (status) => {
  const server = await listenHttp((request, response) => {
    request.resume();
    const location = `http://127.0.0.1:${trap.port}/`;
    response.writeHead(status, { location, 'x-amz-bucket-region': '127.0.0.1' }).end();
  }, '127.0.0.9');
  const guard = createGuard({ allow: ['127.0.0.0/8'] });
  expect(await webhookTo(server.url, guard)).toMatchObject({ outcome: 'retry', statusCode: status });
  expect(await uploadTo(server.url, guard)).toMatchObject({ outcome: 'retry', statusCode: status });
  expect([server.connections, trap.connections]).toEqual([2, 0]);
  await server.close();
});
