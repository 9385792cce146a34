/** Values that the chart rejects, and the messages. */
import { describe, expect, it, test } from 'vitest';
import { CHART, helm, merged, REQUIRED_VALUES, render, rendering, type Values } from './rendered.ts';

describe('invalid values', () => {
  it.each<[string, Values, string]>([
    ['no address', { publicUrl: '' }, 'publicUrl is not set'],
    ['no database', { database: { url: '' } }, 'No database: set database.url'],
    ['no place for pictures', { artifacts: { url: '' } }, 'artifacts.url is not set'],
    [
      'an issuer for all tenants without those that may sign in',
      {
        signIn: {
          issuer: 'https://login.microsoftonline.com/organizations/v2.0',
          clientId: 'tearsheet',
          existingSecret: 'oidc',
        },
      },
      'set signIn.tenants',
    ],
    [
      'a rule with a role that does not exist',
      { signIn: { rules: [{ organization: 'acme', role: 'king', group: 'g' }] } },
      'signIn/rules/0/role',
    ],
    ['two API pods on one folder', { artifacts: { url: 'file:///pictures' } }, 'set api.replicas to 1'],
    [
      'an autoscaled API on one folder',
      { artifacts: { url: 'file:///pictures' }, api: { replicas: 1, autoscaling: { enabled: true } } },
      'api.autoscaling.enabled to false',
    ],
    ['a misspelt value', { publicURL: 'https://a.example' }, "additional properties 'publicURL' not allowed"],
    ['a misspelt value in a group', { capture: { paralelism: 3 } }, "'paralelism' not allowed"],
    ['a word for a number', { api: { replicas: 'two' } }, 'got string, want integer'],
    [
      'a grace period that is too short',
      { capture: { terminationGracePeriodSeconds: 5 } },
      'capture/terminationGracePeriod',
    ],
    ['a digest that is not a SHA-256', { image: { digest: 'latest' } }, 'image/digest'],
    ['a database other than PostgreSQL', { database: { url: 'mysql://a' } }, 'database/url'],
    ['an address range that is a word', { egress: { allow: ['intranet'] } }, 'egress/allow/0'],
    ['an unknown setting', { settings: { LOG_LEVLE: 'debug' } }, "'LOG_LEVLE' not allowed"],
    ['a setting that another value decides', { settings: { PUBLIC_URL: 'https://b.example' } }, "'PUBLIC_URL'"],
  ])('%s is rejected with a message', async (_case, values, words) => {
    const { code, stderr } = await rendering(merged(REQUIRED_VALUES, values));
    expect(stderr).toContain(words);
    expect(code).not.toBe(0);
  });

  it('settings that the chart derives from other values are rejected', async () => {
    const derived = Object.keys((await render()).settings());
    const { stderr } = await rendering(
      merged(REQUIRED_VALUES, { settings: Object.fromEntries(derived.map((name) => [name, '1'])) }),
    );
    for (const name of derived) expect(stderr).toContain(`'${name}'`);
  });
});

test.each(['values-trial.yaml', 'values-production.yaml'])(
  'helm lint finds nothing in examples/%s',
  async (example) => {
    const { code, stdout, stderr } = await helm(['lint', '--strict', CHART], {}, example);
    expect(stdout + stderr).not.toMatch(/\[(WARNING|ERROR)\]/);
    expect(code).toBe(0);
  },
);
