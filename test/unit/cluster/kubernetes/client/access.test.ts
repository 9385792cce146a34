import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as library from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AccessReader, readAccess } from '../../../../../src/cluster/kubernetes/client/access.ts';

const SERVICE_ACCOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';

let folder: string;
let reader: AccessReader | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-access-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  await reader?.close();
  reader = undefined;
  await rm(folder, { recursive: true, force: true });
});

const put = (name: string, text: string) => writeFile(path.join(folder, name), text);
const putToken = (text: string) => put(`${SERVICE_ACCOUNT}/token`, text);
const putCertificate = (text: string) => put(`${SERVICE_ACCOUNT}/ca.crt`, text);

async function serviceAccount(): Promise<AccessReader> {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443');
  await mkdir(path.join(folder, SERVICE_ACCOUNT), { recursive: true });
  await putToken('first\n');
  await putCertificate('one certificate');
  reader = readAccess(library, (config) => config.loadFromCluster(`${folder}/`));
  return reader;
}

async function kubeconfig(user: object, cluster: object = {}): Promise<AccessReader> {
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  await put('kubeconfig', JSON.stringify(config));
  reader ??= readAccess(library, (empty) => empty.loadFromFile(path.join(folder, 'kubeconfig')));
  return reader;
}

test('a process in a pod uses its service account and the address that the kubelet sets', async () => {
  const { server, headers } = await (await serviceAccount()).read();
  expect(server.origin).toBe('https://[fd00::1]:6443');
  expect(headers).toEqual({ Authorization: 'Bearer first' });
});

test('a rotated token is read within a minute, and connections are kept', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const account = await serviceAccount();
  const before = await account.read();
  await putToken('second');
  vi.advanceTimersByTime(59_000);
  expect((await account.read()).headers).toEqual(before.headers);
  vi.advanceTimersByTime(1_001);
  const after = await account.read();
  expect(after.headers).toEqual({ Authorization: 'Bearer second' });
  expect(after.dispatcher).toBe(before.dispatcher);
});

test('a token is read again at once after a 401', async () => {
  const account = await serviceAccount();
  const before = await account.read();
  await putToken('second');
  expect((await account.read(before)).headers).toEqual({ Authorization: 'Bearer second' });
});

test('a changed certificate of the cluster leads to new connections at the next call', async () => {
  const account = await serviceAccount();
  const before = await account.read();
  expect((await account.read(before)).dispatcher).toBe(before.dispatcher);
  await putCertificate('another certificate');
  expect((await account.read()).dispatcher).not.toBe(before.dispatcher);
});

test('a failed read of the credentials is retried by the next call', async () => {
  const account = await serviceAccount();
  await rm(path.join(folder, SERVICE_ACCOUNT, 'token'));
  await expect(account.read()).rejects.toThrow('ENOENT');
  await putToken('back');
  expect((await account.read()).headers).toEqual({ Authorization: 'Bearer back' });
});

test('calls at the same time run a credential plug-in once, and a 401 runs it again', async () => {
  const script = [
    'const fs = require("fs"), file = process.argv[1];',
    'fs.appendFileSync(file, "x");',
    'const token = fs.readFileSync(file, "utf8");',
    'console.log(JSON.stringify({ kind: "ExecCredential", status: { token } }));',
  ].join('');
  const runs = path.join(folder, 'runs');
  const plugin = {
    command: process.execPath,
    args: ['-e', script, runs],
    apiVersion: 'client.authentication.k8s.io/v1',
  };
  const { read } = await kubeconfig({ exec: plugin });
  const [first, ...others] = await Promise.all([read(), read(), read()]);
  expect(await readFile(runs, 'utf8')).toBe('x');
  expect(new Set(others.map(({ dispatcher }) => dispatcher))).toEqual(new Set([first.dispatcher]));
  const again = await Promise.all([read(first), read(first)]);
  expect(again.map(({ headers }) => headers)).toEqual(Array(2).fill({ Authorization: 'Bearer xx' }));
});

test('a kubeconfig whose context names no cluster fails at the start', async () => {
  const empty = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'nothing',
    contexts: [],
    clusters: [],
    users: [],
  };
  await put('kubeconfig', JSON.stringify(empty));
  expect(() => readAccess(library, (config) => config.loadFromFile(path.join(folder, 'kubeconfig')))).toThrow(
    'context nothing names no cluster',
  );
});

test('basic authentication and client certificates of a kubeconfig are used', async () => {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const user = (certificate: string) => ({
    ...{ username: 'me', password: 'secret', 'client-key-data': data('key') },
    'client-certificate-data': data(certificate),
  });
  const cluster = { 'certificate-authority-data': data('ca') };
  const { read } = await kubeconfig(user('one'), cluster);
  const before = await read();
  expect(before.server.href).toBe('https://server:6443/');
  expect(before.headers).toEqual({ Authorization: `Basic ${data('me:secret')}` });
  await kubeconfig(user('two'), cluster);
  expect((await read()).dispatcher).toBe(before.dispatcher);
  expect((await read(before)).dispatcher).not.toBe(before.dispatcher);
});

test('a changed proxy of a kubeconfig leads to new connections', async () => {
  const { read } = await kubeconfig({ token: 't' }, { 'proxy-url': 'http://127.0.0.1:1' });
  const before = await read();
  await kubeconfig({ token: 't' }, { 'proxy-url': 'http://127.0.0.1:2' });
  expect((await read(before)).dispatcher).not.toBe(before.dispatcher);
});
