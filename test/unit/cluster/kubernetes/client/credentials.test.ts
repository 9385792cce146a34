import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Credentials,
  keepCredentials,
  loadCredentials,
} from '../../../../../src/cluster/kubernetes/client/credentials.ts';
import type { Identity } from '../../../../../src/cluster/kubernetes/client/identity.ts';
import { isInPod, podIdentity } from '../../../../../src/cluster/kubernetes/client/podIdentity.ts';

let folder: string;
let credentials: Credentials | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-credentials-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  await credentials?.close();
  credentials = undefined;
  await rm(folder, { recursive: true, force: true });
});

const put = (name: string, text: string) => writeFile(path.join(folder, name), text);

async function serviceAccount(): Promise<Credentials> {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443');
  await put('token', 'first\n');
  await put('ca.crt', 'one certificate');
  credentials = keepCredentials(podIdentity(folder));
  return credentials;
}

test('In a pod it is the service account, by the address that the kubelet gives', async () => {
  const { server, headers } = await (await serviceAccount()).get();
  expect(server).toBe('https://[fd00::1]:6443');
  expect(headers).toEqual({ authorization: 'Bearer first' });
});

test('A token that the kubelet has rotated is read within a minute, and its connections are kept', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const account = await serviceAccount();
  const before = await account.get();
  await put('token', 'second');
  vi.advanceTimersByTime(59_000);
  expect(await account.get()).toBe(before);
  vi.advanceTimersByTime(1_001);
  const after = await account.get();
  expect(after.headers).toEqual({ authorization: 'Bearer second' });
  expect(after.dispatcher).toBe(before.dispatcher);
});

test('A token that is refused is read at once', async () => {
  const account = await serviceAccount();
  await account.get();
  await put('token', 'second');
  expect((await account.get(true)).headers).toEqual({ authorization: 'Bearer second' });
});

test('With other certificates there are other connections', async () => {
  const account = await serviceAccount();
  const before = await account.get();
  expect((await account.get(true)).dispatcher).toBe(before.dispatcher);
  await put('ca.crt', 'another certificate');
  expect((await account.get(true)).dispatcher).not.toBe(before.dispatcher);
});

test('Whoever asks at the same time waits for the same reading', async () => {
  let readings = 0;
  const read = async (): Promise<Identity> => {
    readings += 1;
    return { server: 'https://server', headers: {}, digest: '', connect: () => new Agent() };
  };
  credentials = keepCredentials(read);
  const all = await Promise.all([credentials.get(), credentials.get(), credentials.get()]);
  expect(readings).toBe(1);
  expect(new Set(all.map(({ dispatcher }) => dispatcher)).size).toBe(1);
});

test('A reading that fails is tried again by the next one who asks', async () => {
  const account = await serviceAccount();
  await rm(path.join(folder, 'token'));
  await expect(account.get()).rejects.toThrow('ENOENT');
  await put('token', 'back');
  expect((await account.get()).headers).toEqual({ authorization: 'Bearer back' });
});

test('A kubeconfig that is named, or in the environment, is taken before the service account', () => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
  expect(isInPod('some.kubeconfig')).toBe(false);
  vi.stubEnv('KUBECONFIG', 'some.kubeconfig');
  expect(isInPod(undefined)).toBe(false);
});

test('A kubeconfig without a cluster in its context says so at the start', async () => {
  await put(
    'kubeconfig',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'nothing',
      contexts: [],
      clusters: [],
      users: [],
    }),
  );
  await expect(loadCredentials(path.join(folder, 'kubeconfig'))).rejects.toThrow('context nothing names no cluster');
});

test('Basic authentication and client certificates of a kubeconfig are kept', async () => {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const config = (certificate: string) => ({
    ...{
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    },
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443/', 'certificate-authority-data': data('ca') } }],
    users: [
      {
        name: 'u',
        user: {
          username: 'me',
          password: 'secret',
          'client-certificate-data': data(certificate),
          'client-key-data': data('key'),
        },
      },
    ],
  });
  await put('kubeconfig', JSON.stringify(config('one')));
  credentials = await loadCredentials(path.join(folder, 'kubeconfig'));
  const before = await credentials.get();
  expect(before).toMatchObject({
    server: 'https://server:6443',
    headers: { Authorization: `Basic ${data('me:secret')}` },
  });
  await put('kubeconfig', JSON.stringify(config('two')));
  expect((await credentials.get()).dispatcher).toBe(before.dispatcher);
  expect((await credentials.get(true)).dispatcher).not.toBe(before.dispatcher);
});
