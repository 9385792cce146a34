import { afterEach, expect, test, vi } from 'vitest';
import { createProvider } from '../../../../src/api/auth/provider.ts';

afterEach(() => vi.unstubAllGlobals());

const ENTRA = 'https://login.microsoftonline.com';
const start = (tenants: readonly string[]) => {
  const found = {
    issuer: `${ENTRA}/{tenantid}/v2.0`,
    authorization_endpoint: `${ENTRA}/organizations/oauth2/v2.0/authorize`,
    token_endpoint: `${ENTRA}/organizations/oauth2/v2.0/token`,
    jwks_uri: `${ENTRA}/organizations/discovery/v2.0/keys`,
  };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(found)));
  return createProvider({
    issuer: `${ENTRA}/organizations/v2.0`,
    clientId: 'tearsheet',
    clientSecret: 'secret',
    scopes: 'openid',
    groupsClaim: 'groups',
    tenants,
    redirectUrl: 'https://shots.example/sign-in/callback',
  }).start();
};

test('an issuer for all tenants needs the list of those that may sign in', async () => {
  await expect(start([])).rejects.toThrow('set OIDC_TENANTS');
  expect((await start(['a-1'])).url).toContain(`${ENTRA}/organizations/oauth2/v2.0/authorize`);
});
