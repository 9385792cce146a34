/** The notes that Helm prints after an installation. `helm template` does not print them, so a dry run of `helm install` does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTool, runTool } from '../../../scripts/tools.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { CHART, merged, NAMESPACE, REQUIRED_VALUES, render, type Values } from './rendered.ts';

let namespace: TestNamespace;
let notes: string;

beforeAll(async () => {
  namespace = await testNamespace('notes');
  notes = await notesOf({});
});
afterAll(() => namespace?.remove());

async function notesOf(values: Values): Promise<string> {
  const cluster = ['--kubeconfig', namespace.kubeconfig, '--namespace', NAMESPACE];
  const args = ['install', 't', CHART, '--dry-run=server', ...cluster, '-o', 'json', '-f', '-'];
  const input = JSON.stringify(merged(REQUIRED_VALUES, values));
  const { code, stdout, stderr } = await runTool(await buildTool('helm'), args, { input });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).info.notes;
}

test('the notes name the command that creates an organization and prints its API key', async () => {
  expect(notes).toContain('Its key and its webhook secret are shown only once');
  const command = `kubectl -n ${NAMESPACE} exec deploy/t-tearsheet-api -c api -- tearsheet org create acme --json`;
  expect(notes).toContain(command);
  const pod = (await render()).get('Deployment', 'api')['spec'].template.spec;
  expect(pod.containers.map(({ name }: { name: string }) => name)).toContain('api');
});

test('the notes forward a port of the API Service if there is no Ingress', async () => {
  const values = { api: { service: { port: 8_081 } } };
  const withPort = await notesOf(values);
  expect(withPort).toContain(`kubectl -n ${NAMESPACE} port-forward service/t-tearsheet-api 8080:8081\n`);
  expect(withPort).toContain('curl http://localhost:8080/api/v1/orgs/acme/screenshot_requests ');
  const { ports } = (await render(values)).get('Service', 'api')['spec'];
  expect(ports.map(({ port }: { port: number }) => port)).toContain(8_081);
});

test('the notes name the public address if the chart creates an Ingress', async () => {
  const withIngress = await notesOf({ api: { ingress: { enabled: true } } });
  expect(withIngress).toContain('Connect to the API at https://tearsheet.example.com\n');
  expect(withIngress).toContain('curl https://tearsheet.example.com/api/v1/orgs/acme/screenshot_requests ');
  expect(withIngress).not.toContain('port-forward');
});

test('the notes warn of an Ingress without trusted proxies, and the example for production sets them', async () => {
  const ingress = { api: { ingress: { enabled: true } } };
  const warning = 'WARNING: settings.TRUSTED_PROXIES is not set';
  expect(await notesOf(ingress)).toContain(warning);
  expect(await notesOf({ ...ingress, settings: { TRUSTED_PROXIES: '1' } })).not.toContain(warning);
  expect(notes).not.toContain(warning);
  expect((await render({}, 'values-production.yaml')).settings()['TRUSTED_PROXIES']).toBe('1');
});

test('the notes say how to update a CRD that the release does not own', () => {
  expect(notes).toContain('kubectl apply --server-side --force-conflicts -f crds/\n');
});

test('the notes name the Secret of keys that stays, and nothing that is deleted with the release', async () => {
  const stays = notes.slice(notes.indexOf('These objects stay:'));
  expect(stays).toContain(`kubectl -n ${NAMESPACE} delete secret t-tearsheet-secrets-keys`);
  expect(stays).not.toMatch(/\blease\b/i);
  const kept = (await render()).all.filter(
    ({ kind, metadata }) =>
      metadata.annotations?.['helm.sh/resource-policy'] === 'keep' && kind !== 'CustomResourceDefinition',
  );
  for (const { metadata } of kept) expect(stays).toContain(metadata.name);
  expect(await notesOf({ secretsKeys: { existingSecret: 'mine' } })).not.toContain('secrets-keys');
});

test('the notes name only objects that the release has', async () => {
  const rendered = await render();
  const names = [...notes.matchAll(/\b(deploy|deployment|service)\/(\S+)/g)];
  expect(names.length).toBeGreaterThan(3);
  const kinds = { deploy: 'Deployment', deployment: 'Deployment', service: 'Service' };
  for (const [, kind, name] of names)
    expect(rendered.names()).toContain(`${kinds[kind as keyof typeof kinds]}/${name}`);
});

test('the notes list what stays after the removal, and nothing if nothing stays', async () => {
  expect(notes).toContain('These objects stay:\n  - ');
  const values = { crds: { install: false }, trial: { postgres: { enabled: true } }, database: { url: '' } };
  const trial = await notesOf({ ...values, api: { replicas: 1 }, artifacts: { url: 'file:///pictures' } });
  expect(trial).not.toContain('These objects stay');
});
