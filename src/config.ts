/** Converts the environment to typed settings. {@link SETTINGS} lists every setting; docs/configuration.md is generated from it. */
import { z } from 'zod';
import { cidrFault } from './egress/addresses.ts';

interface Setting<S extends z.ZodType = z.ZodType> {
  readonly group: string;
  readonly schema: S;
  /** The value as the environment would have it; undefined: unset. */
  readonly fallback?: string;
  readonly description: string;
  /** Never printed. */
  readonly secret?: boolean;
}

const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const list = z.string().transform((value) => value.split(/[\s,]+/).filter((item) => item !== ''));
const ranges = list.superRefine((items, context) => {
  for (const message of items.map(cidrFault)) if (message !== undefined) context.addIssue({ code: 'custom', message });
});
const port = integer(0, 65_535);

interface More {
  readonly fallback?: string;
  readonly secret?: boolean;
}

/** `more` keeps its own type, so that a setting with a fallback is known never to be undefined. */
const setting = <S extends z.ZodType, const M extends More = Record<never, never>>(
  group: string,
  schema: S,
  description: string,
  more?: M,
) => ({ group, schema, description, ...(more as M) });

export const SETTINGS = {
  DATABASE_URL: setting(
    'Database',
    z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'),
    'PostgreSQL 15 or newer, `postgres://user:password@host:port/database`. `tearsheet dev` starts its own and ignores this.',
    { secret: true },
  ),
  DATABASE_POOL_SIZE: setting(
    'Database',
    integer(1, 500),
    'Connections each process keeps at most. The queue keeps a few of its own.',
    { fallback: '10' },
  ),

  ARTIFACTS_URL: setting(
    'Pictures',
    z.string().regex(/^(file:\/\/\/|s3:\/\/[^/]+)/, 'must be file:///folder or s3://bucket/prefix'),
    'Where pictures are kept: `file:///folder` or `s3://bucket/prefix`.',
  ),
  S3_ENDPOINT: setting(
    'Pictures',
    z.url(),
    'An S3 server other than AWS. Credentials come from the usual AWS variables and files.',
  ),
  S3_PUBLIC_ENDPOINT: setting(
    'Pictures',
    z.url(),
    'How clients reach the S3 server, where it is another address than S3_ENDPOINT. Pictures are redirected there.',
  ),
  S3_REGION: setting('Pictures', z.string(), 'Region of the bucket.', { fallback: 'us-east-1' }),
  S3_FORCE_PATH_STYLE: setting(
    'Pictures',
    flag,
    '`true` where the server wants the bucket in the path, as MinIO and versitygw do.',
    { fallback: 'false' },
  ),

  HOST: setting('Addresses', z.string(), 'Address that servers listen on.', { fallback: '0.0.0.0' }),
  PORT: setting('Addresses', port, 'Port of the public API and the pages.', { fallback: '8080' }),
  INTERNAL_PORT: setting(
    'Addresses',
    port,
    'Port of the internal API, which captures talk to. Must not be reachable from outside.',
    { fallback: '8081' },
  ),
  METRICS_PORT: setting('Addresses', port, 'Port of /livez, /readyz and /metrics.', { fallback: '9090' }),
  PUBLIC_URL: setting(
    'Addresses',
    z.url().transform((url) => url.replace(/\/+$/, '')),
    'How clients reach the service; every address in answers, events and pages begins with it.',
  ),
  INTERNAL_URL: setting(
    'Addresses',
    z.url().transform((url) => url.replace(/\/+$/, '')),
    'How captures reach the internal API.',
  ),

  INTERNAL_TLS_CERT: setting(
    'Addresses',
    z.string(),
    'File with the certificate of the internal API, and those that signed it: it then speaks HTTPS, INTERNAL_URL must begin with `https://`, and captures must trust it (`NODE_EXTRA_CA_CERTS`). Read again when it changes.',
  ),
  INTERNAL_TLS_KEY: setting('Addresses', z.string(), 'File with the key of INTERNAL_TLS_CERT.'),

  EGRESS_ALLOW: setting(
    'Egress',
    ranges,
    'Address ranges (CIDR, separated by commas) that captures and deliveries may reach although they are not public. Allowed on every port.',
    { fallback: '' },
  ),

  RATE_LIMIT_PER_SECOND: setting(
    'Limits',
    integer(1, 1_000_000),
    'Requests a second each API key may make in the long run, of each API process: with four replicas four times as many in all. `tearsheet dev` has none unless this is set.',
    { fallback: '100' },
  ),
  RATE_LIMIT_BURST: setting(
    'Limits',
    integer(1, 1_000_000),
    'Requests an API key may make at once, of each API process.',
    {
      fallback: '1000',
    },
  ),
  MAX_ENTRIES: setting('Limits', integer(1, 1_000_000), 'Entries in one screenshot request.', { fallback: '1000' }),
  MAX_SCREENSHOTS: setting('Limits', integer(1, 1_000_000), 'Screenshots one request may result in.', {
    fallback: '10000',
  }),
  MAX_SUBSCRIBERS: setting('Limits', integer(0, 1_000), 'Subscribers in one request.', { fallback: '10' }),
  MAX_FRAMES: setting('Limits', integer(1, 1_000), 'Frames in one screenshot object.', { fallback: '31' }),
  MAX_BODY_BYTES: setting('Limits', integer(1_024, 1_073_741_824), 'Size of a request body.', { fallback: '33554432' }),

  MAX_PODS: setting(
    'Work',
    integer(1, 100_000),
    'Captures that may run at the same time, all organizations together.',
    { fallback: '100' },
  ),
  MAX_PODS_PER_ORGANIZATION: setting(
    'Work',
    integer(1, 100_000),
    'Captures of one organization that may run at the same time.',
    { fallback: '50' },
  ),
  CAPTURE_PARALLELISM: setting('Work', integer(1, 1_000), 'Captures of one set that run at the same time.', {
    fallback: '10',
  }),
  CAPTURE_RETRIES: setting('Work', integer(0, 10), 'How often a capture that broke is started again.', {
    fallback: '3',
  }),
  CAPTURE_POD_DEADLINE_SECONDS: setting('Work', integer(10, 86_400), 'Bound on one run of a capture.', {
    fallback: '600',
  }),
  SET_DEADLINE_SECONDS: setting(
    'Work',
    integer(10, 604_800),
    'A set is settled this long after its launch, whatever is missing.',
    { fallback: '3600' },
  ),
  SCHEDULING_DEADLINE_SECONDS: setting(
    'Work',
    integer(10, 604_800),
    'A set of which the cluster has started nothing so long after its launch is settled, with what the cluster says.',
    { fallback: '900' },
  ),
  FINISHED_TTL_SECONDS: setting('Work', integer(0, 604_800), 'How long a settled ScreenshotJob stays in the cluster.', {
    fallback: '3600',
  }),

  MAX_FINISHED_RESOURCES: setting(
    'Work',
    integer(0, 100_000),
    'Settled ScreenshotJobs that stay in the cluster at most; beyond, the oldest go before their time.',
    { fallback: '1000' },
  ),

  CLUSTER: setting(
    'Cluster',
    z.enum(['local', 'kubernetes']),
    'Where `tearsheet controller` runs captures: as child processes of itself, or as pods.',
    { fallback: 'local' },
  ),
  NAMESPACE: setting(
    'Cluster',
    z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace'),
    'Namespace of ScreenshotJobs and captures. Unset: the one that the process runs in.',
  ),
  CAPTURE_PROFILE: setting(
    'Cluster',
    z.string(),
    'JSON file that says what pods of captures look like. The chart makes it.',
  ),
  CAPTURE_SERVICE_ACCOUNT: setting(
    'Cluster',
    z.string(),
    'Account of the captures’ pods, without rights. The internal API takes tokens of it alone.',
  ),
  CAPTURE_TOKEN_AUDIENCE: setting('Cluster', z.string(), 'For whom the tokens of captures’ pods are made out.', {
    fallback: 'tearsheet-internal',
  }),
  LEASE_NAME: setting('Cluster', z.string(), 'Lease by which one of several controllers leads.', {
    fallback: 'tearsheet-controller',
  }),
  POD_NAME: setting('Cluster', z.string(), 'Name by which this process holds the Lease. Unset: the host name.'),
  READ_NODES: setting('Cluster', flag, '`true` where the controller may read nodes, to name a lost one earlier.', {
    fallback: 'false',
  }),

  CHROMIUM_PATH: setting(
    'Capture',
    z.string(),
    'Executable of the browser. Unset: Playwright’s headless shell, else Debian’s, else any Chromium found.',
  ),
  CHROMIUM_SANDBOX: setting(
    'Capture',
    z.enum(['auto', 'required', 'off']),
    'Chromium’s own sandbox: `auto` where the system lets it (not as root, nor under the usual seccomp profile of containers), `required`, or `off`.',
    { fallback: 'auto' },
  ),
  CREATIVES_AT_ONCE: setting(
    'Capture',
    integer(1, 16),
    'Creatives that one capture renders at the same time, each in a browser of its own. `tearsheet dev` has 1 unless this is set.',
    { fallback: '2' },
  ),
  PAGES_AT_ONCE: setting(
    'Capture',
    integer(1, 8),
    'Pages that one capture has open at the same time, in one browser.',
    { fallback: '2' },
  ),
  NAVIGATION_TIMEOUT_MS: setting('Capture', integer(1_000, 300_000), 'How long a site may take to answer.', {
    fallback: '30000',
  }),
  SETTLE_CAP_MS: setting(
    'Capture',
    integer(500, 120_000),
    'How long a page that has answered may take to come to rest.',
    { fallback: '10000' },
  ),
  CREATIVE_DEADLINE_MS: setting(
    'Capture',
    integer(1_000, 600_000),
    'How long one creative may take, all markers and pixel ratios together.',
    { fallback: '60000' },
  ),

  LOG_LEVEL: setting(
    'Operation',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
    'Least severe level that is logged.',
    { fallback: 'info' },
  ),
  TERMINATION_LOG: setting(
    'Operation',
    z.string(),
    'File in which a capture says why it ended, if it is there: in a pod, what Kubernetes then shows in the pod’s status.',
    { fallback: '/dev/termination-log' },
  ),
  SHUTDOWN_GRACE_SECONDS: setting(
    'Operation',
    integer(1, 600),
    'After SIGTERM: how long work in progress may take to end.',
    { fallback: '25' },
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
type Value<N extends SettingName> = z.output<(typeof SETTINGS)[N]['schema']>;
type HasFallback<N extends SettingName> = (typeof SETTINGS)[N] extends { fallback: string } ? true : false;
/** Every setting; those without a default may be undefined. */
export type Config = { readonly [N in SettingName]: HasFallback<N> extends true ? Value<N> : Value<N> | undefined };

/** Settings that do not hold together; the message has a line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * @param required settings that this command cannot do without.
 * @throws ConfigError naming every fault at once.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  required: readonly SettingName[] = [],
): Config {
  const faults: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, { schema, description, ...rest }] of Object.entries<Setting>(SETTINGS)) {
    const given = env[name] === '' ? undefined : env[name];
    const text = given ?? rest.fallback;
    if (text === undefined) {
      if (required.some((needed) => needed === name)) faults.push(`${name} is not set: ${description}`);
      continue;
    }
    const result = schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else
      faults.push(
        `${name}${rest.secret ? '' : ` is ${JSON.stringify(text)}`}: ${result.error.issues.map((issue) => issue.message).join('; ')}.`,
      );
  }
  if (faults.length > 0) throw new ConfigError(`The settings are not usable:\n  ${faults.join('\n  ')}`);
  return config as Config;
}
