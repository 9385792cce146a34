/** Values that need or exclude another, and strings that land in an address, a label or a duration: refused with a sentence, or rendered right. */
import { expect, it } from 'vitest';
import { merged, REQUIRED_VALUES, Rendered, rendering, type Values } from './rendered.ts';

/** The sentence of the refusal, or what must be true of the manifests. */
type Expected = string | ((rendered: Rendered) => void);

const PROXY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'], time_zone: 'Europe/Berlin' },
};
const location = (proxy: string): Values => ({ locations: { list: [{ ...PROXY, proxy }] } });
const database = (password: string): Values => ({
  database: { url: `postgres://user:${password}@db.example.com:6432/tearsheet` },
});
const INGRESS = { api: { ingress: { enabled: true, tlsSecretName: 'tls' } } };
const ROUTE = { api: { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } } };
const MONITORS = { monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } } };

const ports = (rendered: Rendered, rule: number): number[] =>
  rendered.get('NetworkPolicy', 'api')['spec'].egress[rule].ports.map(({ port }: { port: number }) => port);
const reaches = (port: number) => (rendered: Rendered) => expect(ports(rendered, 1)).toContain(port);
const reachesProxy = (port: number) => (rendered: Rendered) => expect(ports(rendered, 2)).toEqual([port]);
const labelsOf = (kind: string, name: string, labels: Values) => (rendered: Rendered) =>
  expect(rendered.get(kind, name).metadata.labels).toMatchObject(labels);

it.each<[string, Values, Expected]>([
  // Nothing where something is needed.
  ['no name servers', { networkPolicy: { dnsTo: [] } }, 'networkPolicy.dnsTo is empty'],
  ['name servers as null', { networkPolicy: { dnsTo: null } }, 'networkPolicy.dnsTo is empty'],
  ['a route without a Gateway', { api: { httpRoute: { enabled: true } } }, 'api.httpRoute.parentRefs is empty'],
  ['a DNS policy without a configuration', { pods: { dnsPolicy: 'None' } }, 'pods.dnsPolicy None needs pods.dnsConfig'],
  ['the same for captures', { capture: { dnsPolicy: 'None' } }, 'capture.dnsPolicy None needs capture.dnsConfig'],
  // One of two wins in silence.
  ['two databases', { database: { existingSecret: 'db' } }, 'database.url and database.existingSecret are both set'],
  [
    'a trial beside a database',
    { trial: { postgres: { enabled: true } } },
    'database.url and trial.postgres.enabled are both set',
  ],
  [
    'two credentials of S3',
    { artifacts: { accessKeyId: 'a', secretAccessKey: 'b', existingSecret: 's3' } },
    'artifacts.accessKeyId and artifacts.existingSecret are both set',
  ],
  [
    'two claims for pictures',
    { artifacts: { url: 'file:///pictures', folder: { size: '1Gi', existingClaim: 'p' } }, api: { replicas: 1 } },
    'artifacts.folder.size and artifacts.folder.existingClaim are both set',
  ],
  // One without its partner.
  ['a sender without a mail server', { mail: { from: 'a@example.com' } }, 'mail.from needs mail.existingSecret'],
  ['a mail server without a sender', { mail: { existingSecret: 'm' } }, 'mail.existingSecret needs mail.from'],
  [
    'rules without a provider',
    { signIn: { rules: [{ organization: 'acme', role: 'owner', group: 'g' }] } },
    'signIn.rules needs signIn.issuer',
  ],
  ['tenants without a provider', { signIn: { tenants: ['example.com'] } }, 'signIn.tenants needs signIn.issuer'],
  ['a client without a provider', { signIn: { clientId: 'c' } }, 'signIn.clientId needs signIn.issuer'],
  ['its secret without a provider', { signIn: { existingSecret: 's' } }, 'signIn.existingSecret needs signIn.issuer'],
  [
    'a provider without a client',
    { signIn: { issuer: 'https://login.example', existingSecret: 's' } },
    'signIn.issuer needs signIn.clientId',
  ],
  [
    'a provider without a secret',
    { signIn: { issuer: 'https://login.example', clientId: 'c' } },
    'signIn.issuer needs signIn.existingSecret',
  ],
  [
    'headers without a collector',
    { tracing: { existingSecret: 't' } },
    'tracing.existingSecret needs tracing.endpoint',
  ],
  [
    'credentials without locations',
    { locations: { existingSecret: 'l' } },
    'locations.existingSecret needs locations.list',
  ],
  [
    'places of proxies without locations',
    { locations: { proxiesAt: [{ ipBlock: { cidr: '203.0.113.7/32' } }] } },
    'locations.proxiesAt needs locations.list',
  ],
  ['half of the credentials', { artifacts: { accessKeyId: 'a' } }, 'artifacts.accessKeyId needs artifacts.secret'],
  ['the other half', { artifacts: { secretAccessKey: 'a' } }, 'artifacts.secretAccessKey needs artifacts.accessKeyId'],
  [
    'a folder beside a bucket',
    { artifacts: { folder: { size: '1Gi' } } },
    'artifacts.folder needs artifacts.url to be',
  ],
  [
    'an endpoint of S3 beside a folder',
    { artifacts: { url: 'file:///pictures', endpoint: 'https://s3.example' }, api: { replicas: 1 } },
    'artifacts.endpoint needs artifacts.url to be',
  ],
  ['a password without a trial', { trial: { postgres: { password: 'p' } } }, 'trial.postgres.password needs trial'],
  [
    'priorities without a queue',
    { capture: { queuePriorityClasses: { low: 'bulk' } } },
    'capture.queuePriorityClasses needs capture.queueName',
  ],
  // The same key twice in one manifest.
  [
    'a label that selects pods',
    { commonLabels: { 'app.kubernetes.io/name': 'ads' } },
    'commonLabels must not set app.kubernetes.io/name',
  ],
  [
    'the same on pods',
    { pods: { labels: { 'app.kubernetes.io/component': 'web' } } },
    'pods.labels must not set app.kubernetes.io/component',
  ],
  [
    'the same on captures',
    { capture: { podLabels: { 'app.kubernetes.io/instance': 'x' } } },
    'capture.podLabels must not set app.kubernetes.io/instance',
  ],
  [
    'a type of the Service in two places',
    { api: { service: { extraSpec: { type: 'NodePort' } } } },
    'api.service.extraSpec must not set type',
  ],
  [
    'ports of the Service in two places',
    { api: { service: { extraSpec: { ports: [] } } } },
    'api.service.extraSpec must not set ports',
  ],
  [
    'the label part-of',
    { commonLabels: { 'app.kubernetes.io/part-of': 'ads' } },
    labelsOf('Deployment', 'api', { 'app.kubernetes.io/part-of': 'ads' }),
  ],
  [
    'one label in two values',
    { commonLabels: { team: 'ads' }, pods: { labels: { team: 'web' } } },
    (rendered) => {
      labelsOf('Deployment', 'api', { team: 'ads' })(rendered);
      expect(rendered.get('Deployment', 'api')['spec'].template.metadata.labels).toMatchObject({ team: 'web' });
    },
  ],
  [
    'one label in commonLabels and a monitor',
    merged(MONITORS, {
      commonLabels: { release: 'ads' },
      monitoring: { serviceMonitor: { labels: { release: 'prometheus' } } },
    }),
    labelsOf('ServiceMonitor', '', { release: 'prometheus' }),
  ],
  [
    'an annotation that the chart sets',
    { pods: { annotations: { 'kubectl.kubernetes.io/default-container': 'proxy' } } },
    (rendered) =>
      expect(rendered.get('Deployment', 'api')['spec'].template.metadata.annotations).toMatchObject({
        'kubectl.kubernetes.io/default-container': 'proxy',
      }),
  ],
  ['a label that is a number', { commonLabels: { version: 1 } }, "at '/commonLabels/version': got number, want string"],
  [
    'a node label that is no string',
    { pods: { nodeSelector: { gpu: true } } },
    "at '/pods/nodeSelector/gpu': got bool",
  ],
  // Proxies.
  ['a proxy without a scheme', location('proxy.example:3128'), 'locations.list: the proxy of de must be'],
  ['a proxy of curl', location('socks5h://proxy.example:1080'), 'locations.list: the proxy of de must be'],
  [
    'a proxy with credentials',
    location('http://user:pass@proxy.example:3128'),
    'locations.list: the proxy of de contains credentials, which a ConfigMap would show',
  ],
  ['a proxy without a port', location('socks5://proxy.example'), reachesProxy(1080)],
  ['a proxy by IPv6', location('http://[2001:db8::7]:3128'), reachesProxy(3128)],
  // Addresses.
  [
    'credentials of a collector in its address',
    { tracing: { endpoint: 'http://user:pass@otel:4318' } },
    'tracing.endpoint contains credentials, which a ConfigMap would show',
  ],
  ['an S3 server with a space', { artifacts: { endpoint: 'https://s3 .example' } }, 'artifacts.endpoint must be'],
  ['an issuer with a bad escape', { signIn: { issuer: 'https://login%zz.example' } }, 'signIn.issuer must be'],
  ['a collector by IPv6', { tracing: { endpoint: 'http://[2001:db8::5]:4318' } }, reaches(4318)],
  ['a public address with a query', { publicUrl: 'https://a.example/?a=b' }, 'publicUrl must be'],
  ['a public address with spaces', { publicUrl: 'https://a b.example' }, 'publicUrl must be'],
  [
    'a public address by IPv6',
    merged(INGRESS, { publicUrl: 'https://[2001:db8::1]:8443' }),
    (rendered) => {
      const { rules, tls } = rendered.get('Ingress', '')['spec'];
      // An Ingress accepts names only; without one it takes the requests of all hosts.
      expect(rules[0]).not.toHaveProperty('host');
      expect(tls).toEqual([{ secretName: 'tls' }]);
    },
  ],
  [
    'the same for a route',
    merged(ROUTE, { publicUrl: 'https://[2001:db8::1]' }),
    (rendered) => expect(rendered.get('HTTPRoute', '')['spec']).not.toHaveProperty('hostnames'),
  ],
  [
    'a public address with a path, for an Ingress',
    merged(INGRESS, { publicUrl: 'https://a.example/tearsheet' }),
    'api.ingress cannot remove the path of publicUrl',
  ],
  [
    'a public address with a path, for a route',
    merged(ROUTE, { publicUrl: 'https://a.example/tearsheet/' }),
    (rendered) =>
      expect(rendered.get('HTTPRoute', '')['spec'].rules).toEqual([
        {
          matches: [{ path: { type: 'PathPrefix', value: '/tearsheet' } }],
          filters: [
            { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } } },
          ],
          backendRefs: [{ name: 't-tearsheet-api', port: 80 }],
        },
      ]),
  ],
  ['a host with a scheme', merged(INGRESS, { api: { ingress: { host: 'https://a.example' } } }), 'api/ingress/host'],
  ['a name with capitals', { fullnameOverride: 'Ads_1' }, 'fullnameOverride'],
  ['an image with a tag in its name', { image: { repository: 'registry.example/tearsheet:1' } }, 'image/repository'],
  // The password of the database.
  ['a # in the password', database('p#ss'), 'database.url cannot be read: write #, / and ? in'],
  ['a / in the password', database('p/ss'), 'database.url cannot be read: write #, / and ? in'],
  ['an escape that is none in the password', database('p%zz'), reaches(6432)],
  ['a space in the password', database('p ss'), reaches(6432)],
  ['an @ in the password', database('p@ss'), reaches(6432)],
  ['an escaped # in the password', database('p%23ss'), reaches(6432)],
  ['a database by IPv6', { database: { url: 'postgres://u:p@[2001:db8::2]:6432/t' } }, reaches(6432)],
  [
    'a space in the password of a trial',
    { database: { url: '' }, trial: { postgres: { enabled: true, password: 'p ss+%' } } },
    (rendered) =>
      expect(rendered.get('Secret', 'database')['stringData'].DATABASE_URL).toBe(
        'postgres://postgres:p%20ss%2B%25@t-tearsheet-postgres:5432/tearsheet',
      ),
  ],
  // Numbers, durations and sizes.
  [
    'fewer pods at most than at least',
    { api: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 3 } } },
    'api.autoscaling.minReplicas is 5, more than api.autoscaling.maxReplicas, 3',
  ],
  ['a budget of 0 pods', { pods: { podDisruptionBudget: { maxUnavailable: 0 } } }, 'maxUnavailable must be'],
  ['a budget of "0"', { pods: { podDisruptionBudget: { maxUnavailable: '0' } } }, 'maxUnavailable must be'],
  ['a budget of 0 %', { pods: { podDisruptionBudget: { maxUnavailable: '0%' } } }, 'maxUnavailable must be'],
  ['a budget in words', { pods: { podDisruptionBudget: { maxUnavailable: 'many' } } }, 'maxUnavailable must be'],
  [
    'a budget in per cent',
    { pods: { podDisruptionBudget: { maxUnavailable: '50%' } } },
    (rendered) => expect(rendered.get('PodDisruptionBudget', 'api')['spec'].maxUnavailable).toBe('50%'),
  ],
  ['half a request', { settings: { RATE_LIMIT_PER_SECOND: 0.5 } }, '/settings/RATE_LIMIT_PER_SECOND'],
  ['half a request as text', { settings: { RATE_LIMIT_PER_SECOND: '0.5' } }, '/settings/RATE_LIMIT_PER_SECOND'],
  ['a setting above its range', { settings: { DATABASE_POOL_SIZE: 501 } }, '/settings/DATABASE_POOL_SIZE'],
  ['a level that does not exist', { settings: { LOG_LEVEL: 'loud' } }, '/settings/LOG_LEVEL'],
  ['an interval without a unit', { monitoring: { serviceMonitor: { interval: '30' } } }, 'serviceMonitor/interval'],
  ['a size without a unit of Kubernetes', { capture: { tmpSize: '1 GB' } }, 'capture/tmpSize'],
])('%s', async (_case, values, expected) => {
  const { code, stderr, manifests } = await rendering(merged(REQUIRED_VALUES, values));
  if (typeof expected === 'string') {
    expect(stderr).toContain(expected);
    expect(code).not.toBe(0);
  } else {
    expect(stderr).toBe('');
    expected(new Rendered(structuredClone(manifests)));
  }
});
