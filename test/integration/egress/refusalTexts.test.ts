/** Each place in which a customer reads why the service did not connect to an address. */
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { asFailedCreative } from '../../../src/capture/creative/creative.ts';
import { uploadToBucket } from '../../../src/core/buckets/s3Client.ts';
import { createWebhookFetch, sendWebhook } from '../../../src/core/webhooks/webhook.ts';
import { addressFault } from '../../../src/egress/addressFault.ts';
import { createGuardedFetch } from '../../../src/egress/fetch.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/egress/proxy.ts';

const HOST = 'inside.example';
/** The address of the name in the operator's network, and every word that hints at it. */
const SECRETS = [/10\.1\.2\.3/, /private/, /loopback/, /reserved/];
const guard = createGuard({ allow: [], lookup: async () => [{ address: '10.1.2.3', family: 4 }] });

let proxy: EgressProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

function expectRefusal(shown: string): void {
  expect(shown).toMatch(/not a public address|is not public/);
  for (const secret of SECRETS) expect(shown).not.toMatch(secret);
}

test('the attempt of a webhook does not say what an internal name resolves to', async () => {
  const fetch = createWebhookFetch(guard);
  const attempt = { eventId: 'evt_1', payload: '{}', secrets: ['whsec_AAAA'], fetch, now: () => new Date() };
  const result = await sendWebhook({ ...attempt, url: `https://${HOST}/hook` });
  expect(result.outcome).toBe('refused');
  expectRefusal(JSON.stringify(result));
});

test('an upload to a bucket does not say what an internal name resolves to', async () => {
  const connector = { region: 'us-east-1', accessKeyId: 'A', secretAccessKey: 'B', endpoint: `https://${HOST}` };
  const object = { bucket: 'b', key: 'k', bytes: Buffer.from(''), contentType: 'text/plain' };
  const result = await uploadToBucket({ connector: { ...connector, forcePathStyle: true }, ...object, guard });
  expect(result.outcome).toBe('refused');
  expectRefusal(JSON.stringify(result));
});

test('a failed creative does not say what an internal name resolves to', async () => {
  const fetch = createGuardedFetch({ guard, timeoutMs: 10_000, maxBytes: 1_024, maxRedirects: 3 });
  const error: unknown = await fetch(`https://${HOST}/banner.png`).catch((thrown: unknown) => thrown);
  expectRefusal(asFailedCreative(error)?.reason ?? '');
});

test('the proxy of pages and creatives does not say what an internal name resolves to', async () => {
  proxy = await startEgressProxy({ guard });
  const { port } = new URL(proxy.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const path = `http://${HOST}/`;
    const call = httpRequest({ host: '127.0.0.1', port, path, headers: { host: HOST } }, (response) => {
      text(response).then((body) => resolve(JSON.stringify(response.headers) + body), reject);
    });
    call.on('error', reject).end();
  });
  expectRefusal(answer);
  // Sites, provenance records and warnings take their reasons from here.
  expectRefusal(JSON.stringify(proxy.failures));
});

test('the check of an address that a person enters does not say what an internal name resolves to', async () => {
  expectRefusal((await addressFault(guard, `https://${HOST}/hook`)) ?? '');
});
