/** Converts the environment to typed settings. {@link SETTINGS} lists every setting; docs/configuration.md is generated from it. */
import { z } from 'zod';
import { LocationCredentials, LocationsSetting } from './contract/locations.ts';
import { AUDIT_LOG_DAYS_MIN } from './domain/auditLog.ts';
import { QUOTA_MAX } from './domain/quotas.ts';
import { SET_DAYS } from './domain/retention.ts';
import { ROLES } from './domain/roles.ts';
import { lowerCase } from './domain/text.ts';
import { parseRange, rangeFault } from './egress/addresses.ts';
import { errorMessage } from './lib/errorMessage.ts';
import { KeyRing } from './lib/keyRing.ts';

interface Setting<S extends z.ZodType = z.ZodType> {
  readonly group: string;
  readonly schema: S;
  /** The value as the environment would have it; undefined: unset. */
  readonly fallback?: string;
  readonly description: string;
  /** Secret values are never printed. */
  readonly secret?: boolean;
}

const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const list = z.string().transform((value) => value.split(/[\s,]+/).filter((item) => item !== ''));
const ranges = list.superRefine((items, context) => {
  for (const message of items.map(rangeFault)) if (message !== undefined) context.addIssue({ code: 'custom', message });
});
const origins = list.superRefine((items, context) => {
  for (const item of items) {
    const message = `${item} must be an origin: http or https, host and port, without a path, for example https://app.example`;
    if (!/^https?:\/\//.test(item) || URL.parse(item)?.origin !== item) context.addIssue({ code: 'custom', message });
  }
});
/** How many proxies there are, or their ranges. */
const proxies = list.transform((items, context): number | readonly string[] => {
  const [first = ''] = items;
  if (items.length === 1 && /^[1-9]\d?$/.test(first)) return Number(first);
  for (const item of items) {
    const message =
      rangeFault(item) ?? (parseRange(item).port && `${item} must be an address or a range without a port`);
    if (message) context.addIssue({ code: 'custom', message });
  }
  return items;
});
/** A text in JSON that a schema checks. */
const json = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        // The message of the parser would show a part of a secret.
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
const port = integer(0, 65_535);
const keyRing = z.string().transform((text, context) => {
  try {
    return KeyRing.parse(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: errorMessage(error) });
    return z.NEVER;
  }
});

/** A text that is compared in lower case. */
const lowerCased = z
  .string()
  .min(1)
  .transform((text, context) => {
    const lower = lowerCase(text);
    if (lower === undefined) context.addIssue({ code: 'custom', message: `${text} must not contain U+0130 or U+212A` });
    return lower ?? z.NEVER;
  });

const MembershipRule = z
  .strictObject({
    organization: z.string(),
    role: z.enum(ROLES),
    group: z.string().min(1).optional(),
    email_domain: lowerCased.optional(),
  })
  .refine(({ group, email_domain: domain }) => (group === undefined) !== (domain === undefined), {
    error: 'needs either group or email_domain',
  });
interface More {
  readonly fallback?: string;
  readonly secret?: boolean;
}

/** `more` keeps its own type, so that TypeScript knows that a setting with a default is never undefined. */
const setting = <S extends z.ZodType, const M extends More = Record<never, never>>(
  schema: S,
  description: string,
  more?: M,
) => ({ schema, description, ...(more as M) });

/** @param name the heading in docs/configuration.md. */
function group<G extends Readonly<Record<string, Omit<Setting, 'group'>>>>(name: string, settings: G) {
  const named = Object.entries(settings).map(([key, one]) => [key, { ...one, group: name }]);
  return Object.fromEntries(named) as { readonly [N in keyof G]: G[N] & { readonly group: string } };
}

export const SETTINGS = {
  ...group('Database', {
    DATABASE_URL: setting(
      z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://'),
      'PostgreSQL 15 or newer, `postgres://user:password@host:port/database`. `tearsheet dev` starts its own PostgreSQL and ignores this setting.',
      { secret: true },
    ),
    DATABASE_POOL_SIZE: setting(
      integer(1, 500),
      'The most connections of each process. The work queue needs a few more.',
      { fallback: '10' },
    ),
    SECRETS_KEYS: setting(
      keyRing,
      'Keys that encrypt secrets in the database: `id:key` for each, separated by commas; a key is 32 random bytes in base64 (`openssl rand -base64 32`). The first key encrypts, all keys decrypt. `tearsheet dev` creates its own key unless this is set.',
      { secret: true },
    ),
  }),
  ...group('Pictures', {
    ARTIFACTS_URL: setting(
      z.string().regex(/^(file:\/\/\/|s3:\/\/[^/]+)/, 'must be file:///folder or s3://bucket/prefix'),
      'The artifact store for pictures: `file:///folder` or `s3://bucket/prefix`.',
    ),
    S3_ENDPOINT: setting(
      z.url(),
      'URL of an S3 server other than AWS. Credentials come from the usual AWS variables and files.',
    ),
    S3_PUBLIC_ENDPOINT: setting(
      z.url(),
      'URL of the S3 server for clients, if it differs from S3_ENDPOINT. The API redirects requests for pictures to it.',
    ),
    S3_REGION: setting(z.string(), 'Region of the bucket.', { fallback: 'us-east-1' }),
    S3_FORCE_PATH_STYLE: setting(flag, '`true` puts the bucket into the path, as MinIO and versitygw require.', {
      fallback: 'false',
    }),
  }),
  ...group('Addresses', {
    HOST: setting(z.string(), 'Address to listen on.', { fallback: '0.0.0.0' }),
    PORT: setting(port, 'Port of the public API and the pages.', { fallback: '8080' }),
    INTERNAL_PORT: setting(
      port,
      'Port of the internal API, which captures call. It must not be reachable from outside.',
      { fallback: '8081' },
    ),
    METRICS_PORT: setting(port, 'Port of /livez, /readyz and /metrics.', { fallback: '9090' }),
    PUBLIC_URL: setting(
      z.url().transform((url) => url.replace(/\/+$/, '')),
      'URL of the service for clients. All URLs in responses, events and pages start with it.',
    ),
    CORS_ORIGINS: setting(
      origins,
      'Origins, separated by commas, whose pages may call the public API from a browser, for example `https://app.example`. Empty: none, because a page that holds a key exposes it to everyone who opens the page.',
      { fallback: '' },
    ),
    TRUSTED_PROXIES: setting(
      proxies,
      'Proxies in front of the public API, for example an ingress: their addresses and ranges (CIDR, separated by commas), or how many there are. The service takes the address of a client from `X-Forwarded-For` only if these proxies wrote it. Empty: none, so the address of the connection is used.',
      { fallback: '' },
    ),
    INTERNAL_URL: setting(
      z.url().transform((url) => url.replace(/\/+$/, '')),
      'URL of the internal API for captures.',
    ),
    INTERNAL_TLS_FOLDER: setting(
      z.string(),
      'Folder with `tls.crt`, the certificate chain of the internal API, and `tls.key`, its private key. The internal API then serves HTTPS: INTERNAL_URL must start with `https://`, and captures must trust the certificate (`NODE_EXTRA_CA_CERTS`). A renewed certificate is loaded without a restart.',
    ),
  }),
  ...group('Egress', {
    SENDING_ADDRESSES: setting(
      ranges,
      'The public addresses or ranges (CIDR, separated by commas) from which the cluster opens connections, for example those of your NAT gateway. The API and the page of webhooks show them, so that receivers can allow them. They do not affect connections.',
      { fallback: '' },
    ),
    AWS_PRINCIPAL_ARN: setting(
      z.string().regex(/^arn:aws(-[a-z]+){0,3}:(iam|sts)::\d{12}:\S+$/, 'must be the ARN of a role or user of AWS'),
      'ARN of the AWS identity of the controllers. Customers name it in the trust policies of their roles. Unset: connectors cannot use roles.',
    ),
    EGRESS_ALLOW: setting(
      ranges,
      'Address ranges (CIDR, separated by commas) that captures and deliveries may reach although they are not public: on every port, or on one as in `127.0.0.1:3000`.',
      { fallback: '' },
    ),
    LOCATIONS: setting(
      json(LocationsSetting),
      'The locations from which pages can be opened, as a JSON array. Each has `id`, `name`, `country`, `locale`, `languages`, `time_zone` and `proxy` (`http://`, `https://` or `socks5://`, host and port). It may have `geolocation` (`latitude`, `longitude`, `accuracy` in meters), and `check_url`, which returns the address of its caller. `tearsheet api`, `tearsheet controller`, `tearsheet dev` and `tearsheet shoot` read it; the controller uses only the ids.',
      { fallback: '[]' },
    ),
    LOCATION_CREDENTIALS: setting(
      json(LocationCredentials),
      'Credentials of the proxies of locations, as a JSON object: `{"de": {"username": "…", "password": "…"}}`. Captures never get them.',
      { fallback: '{}', secret: true },
    ),
  }),
  ...group('People', {
    SMTP_URL: setting(
      z.string().regex(/^smtps?:\/\/[^/]/, 'must start with smtp:// or smtps://'),
      'The mail server, `smtp://user:password@host:587` (STARTTLS) or `smtps://user:password@host:465`. A password is sent over TLS only. Unset: the service sends no mails, so people cannot sign in by e-mail.',
      { secret: true },
    ),
    MAIL_FROM: setting(
      z.string().regex(/^([^<>@\r\n]+<)?[^\s<>@,]+@[^\s<>@,]+>?$/, 'must be an address, or a name with <address>'),
      'The sender of mails, for example `Tearsheet <tearsheet@example.com>`. Required with SMTP_URL.',
    ),
    OIDC_ISSUER: setting(
      z
        .url()
        .refine((url) => /^https:|^http:\/\/(localhost|127\.0\.0\.1)([:/]|$)/.test(url), 'must start with https://'),
      'The issuer of an OpenID Connect provider with which people sign in, for example `https://login.example.com/realms/acme`. At the provider, allow the address `/sign-in/callback` of PUBLIC_URL, and PUBLIC_URL itself after signing out.',
    ),
    OIDC_CLIENT_ID: setting(z.string(), 'The client id of the service at the provider. Required with OIDC_ISSUER.'),
    OIDC_CLIENT_SECRET: setting(z.string(), 'The secret of the client. Required with OIDC_ISSUER.', {
      secret: true,
    }),
    OIDC_SCOPES: setting(
      z.string().regex(/(^| )openid( |$)/, 'must contain openid'),
      'The scopes that the service asks the provider for, separated by spaces. Some providers send groups only if a scope such as `groups` is requested.',
      { fallback: 'openid profile email' },
    ),
    OIDC_GROUPS_CLAIM: setting(z.string(), 'The claim with the names of the groups of a person.', {
      fallback: 'groups',
    }),
    OIDC_TENANTS: setting(
      list.pipe(z.array(lowerCased)),
      'The tenants whose people may sign in, separated by commas: ids of tenants of Entra ID (claim `tid`), or domains of Google Workspace (claim `hd`). Empty: all. Required with an issuer that serves all tenants, for example `https://login.microsoftonline.com/organizations/v2.0`.',
      { fallback: '' },
    ),
    MEMBERSHIP_RULES: setting(
      json(z.array(MembershipRule)),
      'A JSON list of rules that assign roles to people of the provider, for example `[{"organization": "acme", "role": "manager", "group": "ads"}, {"organization": "acme", "role": "viewer", "email_domain": "acme.example"}]`. The highest role applies. Each sign-in applies them again.',
      { fallback: '[]' },
    ),
  }),
  ...group('Limits', {
    RATE_LIMIT_PER_SECOND: setting(
      integer(1, 1_000_000),
      'Tokens that each API key regains per second; it has at most ten times as many. A simple request takes one, and docs/limits.md lists the others. All API processes share the limit. `tearsheet dev` has no limit unless this is set.',
      { fallback: '100' },
    ),
    SET_RETENTION_DAYS: setting(
      integer(SET_DAYS.min, SET_DAYS.max),
      'Sets are removed this many days after their request, with their pictures, unless their organization chooses a different number. Unset: they stay until they are deleted.',
    ),
    AUDIT_LOG_RETENTION_DAYS: setting(
      integer(AUDIT_LOG_DAYS_MIN, 36_500),
      'Entries of the audit log are removed after this many days.',
      { fallback: '400' },
    ),
  }),
  ...group('Work', {
    MAX_PODS: setting(
      integer(1, 100_000),
      'The most captures that run at the same time, of all organizations together.',
      { fallback: '100' },
    ),
    MAX_PODS_PER_ORGANIZATION: setting(
      integer(1, 100_000),
      'The most captures of one organization that run at the same time, unless `tearsheet org set` specifies a different number.',
      { fallback: '50' },
    ),
    PICTURES_PER_DAY: setting(
      integer(1, QUOTA_MAX),
      'The most screenshots that one organization may request per day (UTC), unless `tearsheet org set` specifies a different number. Unset: no limit.',
    ),
    CAPTURE_PARALLELISM: setting(integer(1, 1_000), 'The most captures of one set that run at the same time.', {
      fallback: '10',
    }),
    CAPTURE_RETRIES: setting(integer(0, 10), 'The number of retries of a failed capture.', {
      fallback: '3',
    }),
    CAPTURE_POD_DEADLINE_SECONDS: setting(integer(10, 86_400), 'The longest run of one capture.', {
      fallback: '600',
    }),
    SET_DEADLINE_SECONDS: setting(
      integer(10, 604_800),
      'A set is settled at most this long after its admission. Missing screenshots then fail.',
      { fallback: '3600' },
    ),
    SCHEDULING_DEADLINE_SECONDS: setting(
      integer(10, 604_800),
      'If the cluster has started no capture of a set for this long after its admission, the set is settled with the reason that the cluster gives.',
      { fallback: '900' },
    ),
  }),
  ...group('Cluster', {
    NAMESPACE: setting(
      z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace'),
      'Namespace of ScreenshotJobs and captures. Unset: the namespace of the process itself.',
    ),
    CAPTURE_PROFILE: setting(
      z.string(),
      'JSON file with the capture profile, which describes capture pods. The chart creates it. Unset: captures run as child processes of `tearsheet controller`.',
    ),
    CAPTURE_SERVICE_ACCOUNT: setting(
      z.string(),
      'Service account of capture pods, without rights. The internal API accepts only its tokens.',
    ),
    LEASE_NAME: setting(
      z.string(),
      'Name of the Kubernetes Lease by which controllers elect their leader. If the namespace has a ConfigMap of the same name, Kubernetes deletes the Lease with it.',
      {
        fallback: 'tearsheet-controller',
      },
    ),
    READ_NODES: setting(flag, '`true` if the controller may read nodes. It then reports a lost node earlier.', {
      fallback: 'false',
    }),
  }),
  ...group('Capture', {
    CHROMIUM_PATH: setting(
      z.string(),
      'Path of the browser. Unset: the headless shell of Playwright or Debian, or any other installed Chromium.',
    ),
    CHROMIUM_SANDBOX: setting(
      z.enum(['auto', 'required', 'off']),
      'Chromium’s own sandbox: `required`, `off`, or `auto` to use it if the system allows it. Root and the usual seccomp profile of containers do not allow it.',
      { fallback: 'auto' },
    ),
    NAVIGATION_TIMEOUT_MS: setting(integer(1_000, 300_000), 'The longest wait for the response of a site.', {
      fallback: '30000',
    }),
  }),
  ...group('Traces', {
    OTEL_EXPORTER_OTLP_ENDPOINT: setting(
      z.url(),
      'URL of an OpenTelemetry collector, for example `http://collector:4318`. It turns traces on. The standard `OTEL_*` variables of exporters, batches and samplers apply, such as OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_PROTOCOL (`http/protobuf`, the default, or `http/json`; gRPC is not supported) and OTEL_TRACES_SAMPLER (default `parentbased_always_on`).',
    ),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(
      z.url(),
      'The same for traces alone, with the path: `http://collector:4318/v1/traces`.',
    ),
    OTEL_SDK_DISABLED: setting(z.string(), '`true` turns traces off even if an endpoint is set.'),
    OTEL_TRACES_EXPORTER: setting(z.string(), '`none` turns traces off too.'),
  }),
  ...group('Operation', {
    LOG_LEVEL: setting(
      z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
      'The lowest level that is logged.',
      { fallback: 'info' },
    ),
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
type Value<N extends SettingName> = z.output<(typeof SETTINGS)[N]['schema']>;
type HasFallback<N extends SettingName> = (typeof SETTINGS)[N] extends { fallback: string } ? true : false;
/** All settings. A setting without a default may be undefined. */
export type Config = { readonly [N in SettingName]: HasFallback<N> extends true ? Value<N> : Value<N> | undefined };

/** Invalid settings. The message has one line for each fault. */
export class ConfigError extends Error {}

/**
 * @param required the settings that a command needs.
 * @throws ConfigError that lists all faults.
 */
export function loadConfig<R extends SettingName = never>(
  env: Readonly<Record<string, string | undefined>>,
  required: readonly R[] = [],
): Config & { readonly [N in R]: Value<N> } {
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
        `${name}${rest.secret ? '' : ` is ${JSON.stringify(text)}`}: ${result.error.issues.map(faultOf).join('; ')}.`,
      );
  }
  if (faults.length > 0) throw new ConfigError(`Invalid settings:\n  ${faults.join('\n  ')}`);
  return config as Config & { readonly [N in R]: Value<N> };
}

/** A fault inside of JSON begins with its place, for example `[1].proxy`. */
function faultOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)} ${message}`;
}
