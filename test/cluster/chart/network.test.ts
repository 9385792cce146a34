/** The connections that the NetworkPolicies of a release allow, from its pods and to them. */
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { whyNotPublic } from '../../../src/egress/addresses.ts';
import { type Manifest, render, type Values } from './rendered.ts';

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: string[] };
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}
interface Egress {
  readonly to?: Peer[];
  readonly ports?: { readonly port: number | string; readonly endPort?: number; readonly protocol?: string }[];
}

const policy = async (component: string, values: Values = {}) =>
  (await render(values)).get('NetworkPolicy', component)['spec'];

/** On a port that pages use. */
function reaches(rules: readonly Egress[], address: string): boolean {
  const wanted = ipaddr.parse(address);
  const holds = (range: string) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === wanted.kind() && wanted.match(network, bits);
  };
  const blocks = rules.filter(({ ports }) => ports === undefined).flatMap(({ to = [] }) => to);
  return blocks.some(({ ipBlock }) => ipBlock && holds(ipBlock.cidr) && !(ipBlock.except ?? []).some(holds));
}

describe('a capture', () => {
  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    'a capture can connect to %s',
    async (address) => {
      expect(reaches((await policy('capture')).egress, address)).toBe(true);
      expect(whyNotPublic(address)).toBeUndefined();
    },
  );

  it.each([
    '10.96.0.1',
    '10.88.0.7',
    '169.254.169.254',
    '168.63.129.16',
    '127.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.100.100.200',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    'fd00:ec2::254',
    'fe80::1',
    '::1',
    '::ffff:7f00:1',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'ff02::1',
  ])('a capture cannot connect to %s', async (address) => {
    expect(reaches((await policy('capture')).egress, address)).toBe(false);
    // The guard of the process says the same.
    expect(whyNotPublic(address)).toBeDefined();
  });

  it('a capture can connect to the ranges in egress.allow, which the setting EGRESS_ALLOW also contains', async () => {
    const values = { egress: { allow: ['10.1.0.0/16', 'fd00::/8'] } };
    const { egress } = await policy('capture', values);
    expect(['10.1.2.3', 'fd00::1'].map((address) => reaches(egress, address))).toEqual([true, true]);
    expect(reaches(egress, '10.2.0.1')).toBe(false);
    expect((await render(values)).settings()['EGRESS_ALLOW']).toBe('10.1.0.0/16,fd00::/8');
  });

  it('a capture can connect to name servers and the internal API, and accepts no connection', async () => {
    const { egress, ingress, policyTypes } = await policy('capture');
    const [names, internal] = egress;
    expect(names.to[0].podSelector.matchLabels).toEqual({ 'k8s-app': 'kube-dns' });
    expect(names.ports).toContainEqual({ port: 53, protocol: 'UDP' });
    expect(internal.to[0].podSelector.matchLabels['app.kubernetes.io/component']).toBe('api');
    expect(internal.ports).toEqual([{ port: 'internal' }]);
    expect({ ingress, policyTypes }).toEqual({ policyTypes: ['Ingress', 'Egress'] });
  });

  it('a collector of traces and its headers change nothing for captures', async () => {
    const values = { tracing: { endpoint: 'http://otel:4318', existingSecret: 'collector' } };
    const [traced, plain] = [await render(values), await render()];
    for (const [kind, name] of [
      ['NetworkPolicy', 'capture'],
      ['ConfigMap', 'capture-profile'],
    ] as const)
      expect(traced.get(kind, name)).toEqual(plain.get(kind, name));
    expect(traced.settings()['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe('http://otel:4318');
    const { env } = traced.get('Deployment', 'api')['spec'].template.spec.containers[0];
    const fromSecret = { secretKeyRef: { name: 'collector', key: 'headers' } };
    expect(env).toContainEqual({ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: fromSecret });
  });

  it('a capture can connect to a private S3 server that the values name', async () => {
    const storageTo = [{ ipBlock: { cidr: '10.9.0.1/32' } }];
    expect(reaches((await policy('capture', { networkPolicy: { storageTo } })).egress, '10.9.0.1')).toBe(true);
  });

  it('the policy of captures selects the labels of their pods', async () => {
    const rendered = await render();
    const { matchLabels } = rendered.get('NetworkPolicy', 'capture')['spec'].podSelector;
    const profile = JSON.parse(rendered.get('ConfigMap', 'capture-profile')['data']['profile.json']);
    // The first two are what the controller gives every capture.
    expect({
      'app.kubernetes.io/name': 'tearsheet',
      'app.kubernetes.io/component': 'capture',
      ...profile.podLabels,
    }).toMatchObject(matchLabels);
  });
});

describe('the API', () => {
  const from = (spec: Manifest['spec'], port: string) =>
    spec.ingress.find((rule: Egress) => rule.ports?.[0]?.port === port).from;

  it('the API accepts connections to its internal port only from captures', async () => {
    const peers: Peer[] = from(await policy('api'), 'internal');
    expect(peers.map(({ podSelector }) => podSelector?.matchLabels)).toEqual([
      {
        'app.kubernetes.io/name': 'tearsheet',
        'app.kubernetes.io/instance': 't',
        'app.kubernetes.io/component': 'capture',
      },
    ]);
  });

  it('the API accepts connections to its public port from everywhere, or only from the peers that the values name', async () => {
    expect(from(await policy('api'), 'http')).toBeUndefined();
    const publicFrom = [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }];
    const [named, test] = from(await policy('api', { networkPolicy: { publicFrom } }), 'http');
    expect(named).toEqual(publicFrom[0]);
    expect(test.podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'test' });
  });

  it('the API accepts `helm test` on its metrics port, even if the values limit the peers', async () => {
    const metricsFrom = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }];
    const [named, test] = from(await policy('api', { networkPolicy: { metricsFrom } }), 'metrics');
    expect(named).toEqual(metricsFrom[0]);
    expect(test.podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'test' });
  });

  it.each<[string, Values, number[]]>([
    ['PostgreSQL, S3 and the cluster by their usual ports', {}, [443, 6443, 5432, 6432]],
    ['an address in the values', { artifacts: { endpoint: 'http://minio:9000' } }, [443, 6443, 5432, 6432, 9000]],
    ['a collector of traces', { tracing: { endpoint: 'http://otel:4318' } }, [443, 6443, 5432, 6432, 4318]],
    ['plain HTTP without a port', { artifacts: { endpoint: 'http://minio' } }, [443, 6443, 5432, 6432, 80]],
  ])('the API can connect to %s', async (_case, values, ports) => {
    const { egress } = await policy('api', values);
    expect(egress[1].ports.map(({ port }: { port: number }) => port)).toEqual(ports);
  });
});

it('the controller reaches any port, because customers choose the address of a webhook', async () => {
  const { egress } = await policy('controller');
  expect(egress[1]).toEqual({ ports: [{ port: 1, endPort: 65_535 }] });
});

it('the pods of Helm hooks have a policy that allows their connections', async () => {
  const rendered = await render();
  const { podSelector, egress } = rendered.get('NetworkPolicy', 'hooks')['spec'];
  for (const hook of [rendered.get('Job', 'cleanup')['spec'].template, rendered.get('Pod', 'test')]) {
    expect(hook.metadata.labels).toMatchObject(podSelector.matchLabels);
    expect(podSelector.matchExpressions[0].values).toContain(hook.metadata.labels['app.kubernetes.io/component']);
  }
  expect(egress[1]).toEqual({ ports: [{ port: 1, endPort: 65_535 }] });
});

it('the PostgreSQL of a trial accepts every pod that gets the address of the database', async () => {
  const rendered = await render({}, 'values-trial.yaml');
  const [{ podSelector }] = rendered.get('NetworkPolicy', 'postgres')['spec'].ingress[0].from;
  const pods = rendered.all.flatMap(({ kind, metadata, spec }) =>
    kind === 'Pod' ? [{ metadata, spec }] : spec?.template ? [spec.template] : [],
  );
  const clients = pods.filter(({ spec }) => JSON.stringify(spec).includes('"DATABASE_URL"'));
  const components = clients.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
  expect(new Set(components)).toEqual(new Set(['api', 'controller', 'cleanup', 'test']));
  expect(podSelector.matchExpressions[0].values).toEqual(expect.arrayContaining(components));
});

it('no policy has an empty list of rules, because the API server drops it and a diff would never be empty', async () => {
  const policies = (await render({}, 'values-trial.yaml')).all.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies.length).toBeGreaterThan(4);
  for (const { spec } of policies) expect([spec.ingress, spec.egress]).not.toContainEqual([]);
});

it('no policy is created if the values disable policies', async () => {
  const { all } = await render({ networkPolicy: { enabled: false } });
  expect(all.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
});
