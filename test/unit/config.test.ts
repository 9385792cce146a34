import { expect, test } from 'vitest';
import { ConfigError, loadConfig, SETTINGS } from '../../src/config.ts';

function refusal(env: Record<string, string>, required: Parameters<typeof loadConfig>[1] = []): string {
  try {
    loadConfig(env, required);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('The settings were accepted.');
}

test('an empty environment gives every setting its default', () => {
  const config = loadConfig({});
  for (const [name, setting] of Object.entries(SETTINGS)) expect(name in config).toBe('fallback' in setting);
  expect(config).toMatchObject({ PORT: 8_080, S3_FORCE_PATH_STYLE: false, EGRESS_ALLOW: [], LOG_LEVEL: 'info' });
});

test('an empty setting counts as unset', () => {
  expect(loadConfig({ PORT: '', PUBLIC_URL: '' })).toMatchObject({ PORT: 8_080 });
  expect(refusal({ PUBLIC_URL: '' }, ['PUBLIC_URL'])).toContain('PUBLIC_URL is not set');
});

test('settings are parsed into their types', () => {
  const config = loadConfig({
    ...{ EGRESS_ALLOW: '10.0.0.0/8, fd00::/8', S3_FORCE_PATH_STYLE: 'true' },
    ...{ PUBLIC_URL: 'https://tearsheet.example//', NAVIGATION_TIMEOUT_MS: '5000' },
  });
  expect(config.EGRESS_ALLOW).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(config.S3_FORCE_PATH_STYLE).toBe(true);
  expect(config.PUBLIC_URL).toBe('https://tearsheet.example');
  expect(config.NAVIGATION_TIMEOUT_MS).toBe(5_000);
});

test('trusted proxies are a number or ranges', () => {
  expect(loadConfig({}).TRUSTED_PROXIES).toEqual([]);
  expect(loadConfig({ TRUSTED_PROXIES: '2' }).TRUSTED_PROXIES).toBe(2);
  const ranges = loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' }).TRUSTED_PROXIES;
  expect(ranges).toEqual(['10.0.0.0/8', '192.0.2.1']);
  expect(refusal({ TRUSTED_PROXIES: 'ingress' })).toContain('"ingress" is not an address range');
  expect(refusal({ TRUSTED_PROXIES: '127.0.0.1:80' })).toContain('without a port');
});

test('all invalid settings are reported together with their values', () => {
  const message = refusal(
    { PORT: '65536', LOG_LEVEL: 'loud', MAX_PODS: '-1', S3_FORCE_PATH_STYLE: 'yes', ARTIFACTS_URL: 'file://here' },
    ['DATABASE_URL', 'PUBLIC_URL'],
  );
  for (const fault of ['PORT is "65536"', 'LOG_LEVEL is "loud"', 'MAX_PODS is "-1"', 'S3_FORCE_PATH_STYLE is "yes"'])
    expect(message).toContain(fault);
  expect(message).toContain('ARTIFACTS_URL is "file://here": must be file:///folder or s3://bucket/prefix.');
  expect(message).toContain('DATABASE_URL is not set');
  expect(message).toContain('PUBLIC_URL is not set');
});

test('a secret is never printed, even if it is invalid', () => {
  const message = refusal({ DATABASE_URL: 'mysql://user:hunter2@host/db' });
  expect(message).toContain('DATABASE_URL: must start with postgres://');
  expect(message).not.toContain('hunter2');
});

test('CORS_ORIGINS takes origins only', () => {
  const origins = 'https://app.example, http://127.0.0.1:3000';
  expect(loadConfig({ CORS_ORIGINS: origins }).CORS_ORIGINS).toEqual(['https://app.example', 'http://127.0.0.1:3000']);
  expect(loadConfig({}).CORS_ORIGINS).toEqual([]);
  for (const value of [
    '*',
    'null',
    'https://app.example/',
    'https://app.example/x',
    'app.example',
    'HTTPS://App.example',
  ])
    expect(refusal({ CORS_ORIGINS: value }, ['CORS_ORIGINS']), value).toContain('must be an origin');
});

test('a fault inside of JSON is reported with its place', () => {
  const rule = { organization: 'acme', role: 'viewer', group: 'ads' };
  const message = refusal({
    MEMBERSHIP_RULES: JSON.stringify([rule, { ...rule, email_domain: 'acme.example' }]),
    LOCATIONS: JSON.stringify([{ id: 'de', name: 'Germany', country: 'de', locale: 'de', languages: ['de'] }]),
    LOCATION_CREDENTIALS: 'hunter2',
  });
  expect(message).toContain('[1] needs either group or email_domain');
  expect(message).toContain('[0].country must be two upper-case letters');
  expect(message).toContain('LOCATION_CREDENTIALS: must be JSON.');
  expect(message).not.toContain('hunter2');
});
