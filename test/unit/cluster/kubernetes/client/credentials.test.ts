import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Credentials,
  type Identity,
  isInPod,
  keepCredentials,
  loadCredentials,
  podIdentity,
} from '../../../../../src/cluster/kubernetes/client/credentials.ts';

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

test('a process in a pod uses its service account and the address that the kubelet sets', async () => {
  const { server, headers } = await (await serviceAccount()).get();
  expect(server).toBe('https://[fd00::1]:6443');
  expect(headers).toEqual({ authorization: 'Bearer first' });
});

test('a rotated token is read within a minute, and connections are kept', async () => {
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

test('a token is read again at once after a 401', async () => {
  const account = await serviceAccount();
  await account.get();
  await put('token', 'second');
  expect((await account.get(true)).headers).toEqual({ authorization: 'Bearer second' });
});

test('changed certificates lead to new connections', async () => {
  const account = await serviceAccount();
  const before = await account.get();
  expect((await account.get(true)).dispatcher).toBe(before.dispatcher);
  await put('ca.crt', 'another certificate');
  expect((await account.get(true)).dispatcher).not.toBe(before.dispatcher);
});

test('concurrent requests share one read of the credentials', async () => {
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

test('a failed read of the credentials is retried by the next request', async () => {
  const account = await serviceAccount();
  await rm(path.join(folder, 'token'));
  await expect(account.get()).rejects.toThrow('ENOENT');
  await put('token', 'back');
  expect((await account.get()).headers).toEqual({ authorization: 'Bearer back' });
});

test('a kubeconfig by path or in the environment takes precedence over the service account', () => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
  expect(isInPod('some.kubeconfig')).toBe(false);
  vi.stubEnv('KUBECONFIG', 'some.kubeconfig');
  expect(isInPod(undefined)).toBe(false);
});

test('a kubeconfig whose context names no cluster fails at the start', async () => {
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

test('basic authentication and client certificates of a kubeconfig are used', async () => {
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
