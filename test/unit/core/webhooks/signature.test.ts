import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../../../src/core/webhooks/webhook.ts';

const OLD = `whsec_${Buffer.from('the old secret, 24 bytes').toString('base64')}`;
const NEW = `whsec_${Buffer.from('the new secret, 24 bytes').toString('base64')}`;
const input = { eventId: 'evt_1', at: new Date(), payload: '{"name":"Zürich"}', secrets: [NEW] };

describe('the official library', () => {
  test('the official library accepts the signature', () => {
    expect(new Webhook(NEW).verify(input.payload, signatureHeaders(input))).toEqual({ name: 'Zürich' });
  });

  test.each([OLD, NEW])('the signature is valid with either secret during a rotation', (secret) => {
    const headers = signatureHeaders({ ...input, secrets: [NEW, OLD] });
    expect(new Webhook(secret).verify(input.payload, headers)).toEqual({ name: 'Zürich' });
  });

  test('another secret, body, id or time makes the signature invalid', () => {
    const headers = signatureHeaders(input);
    expect(() => new Webhook(OLD).verify(input.payload, headers)).toThrow();
    expect(() => new Webhook(NEW).verify('{}', headers)).toThrow();
    expect(() => new Webhook(NEW).verify(input.payload, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    const late = signatureHeaders({ ...input, at: new Date(Date.now() - 3_600_000) });
    expect(() => new Webhook(NEW).verify(input.payload, late)).toThrow();
  });
});

test.each([[[]], [['']], [['whsec_']], [['c2VjcmV0']]])('signing with the secrets %j fails', (secrets) => {
  expect(() => signatureHeaders({ ...input, secrets })).toThrow(/secret/);
});
