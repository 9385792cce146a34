/** `tearsheet check` of servers outside: a real mail server, a real provider and a real proxy. */
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { runSections } from '../../../src/commands/sections.ts';
import { outsideChecks } from '../../../src/commands/service/outsideChecks.ts';
import { loadConfig } from '../../../src/config.ts';
import { errorMessage } from '../../../src/lib/errorMessage.ts';
import { startListener } from '../../support/listeners.ts';
import { startMailServer } from '../../support/mailServer.ts';
import { startOidcProvider } from '../../support/oidcProvider.ts';
import { PROXY_CREDENTIALS, startConnectProxy } from '../../support/upstreamProxies.ts';

const PUBLIC_URL = 'https://shots.example';
const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'], time_zone: 'Europe/Berlin' },
};

interface Servers {
  readonly mail: string;
  readonly issuer: string;
  readonly proxy: string;
  readonly checkUrl: string;
}

/** @returns `ok` or the reason, for each server. */
async function checked({ mail, issuer, proxy, checkUrl }: Servers): Promise<Record<string, string>> {
  const config = loadConfig({
    ...{ SMTP_URL: mail, MAIL_FROM: 't@example.com', EGRESS_ALLOW: '127.0.0.0/8' },
    ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'tearsheet', OIDC_CLIENT_SECRET: 'secret-of-the-client' },
    LOCATIONS: JSON.stringify([{ ...GERMANY, proxy, check_url: checkUrl }]),
    LOCATION_CREDENTIALS: JSON.stringify({ de: PROXY_CREDENTIALS }),
  });
  const results = Object.entries(await runSections(outsideChecks(config, PUBLIC_URL), 30_000));
  return Object.fromEntries(
    results.map(([name, result]) => [name, 'error' in result ? errorMessage(result.error) : 'ok']),
  );
}

test('a check connects to the mail server, the provider and each proxy that the settings name', async () => {
  const page = await startListener(createServer((socket) => socket.destroy()));
  const [mail, provider, proxy] = [
    await startMailServer(),
    await startOidcProvider(PUBLIC_URL),
    await startConnectProxy(),
  ];
  const servers = { mail: mail.url, issuer: provider.issuer, proxy: proxy.url, checkUrl: page.url };
  expect(await checked(servers)).toEqual({ mail: 'ok', 'sign-in': 'ok', 'location de': 'ok' });
  expect(proxy.targets).toEqual([new URL(page.url).host]);
  expect(mail.mails).toEqual([]);
  for (const server of [page, mail, provider, proxy]) await server.close();
  const broken = await checked(servers);
  expect(broken['mail']).toContain('ECONNREFUSED');
  expect(broken['sign-in']).toContain('fetch failed');
  expect(broken['location de']).toContain('Location de: its proxy failed: ECONNREFUSED');
});

test('a check of an installation without mail, provider and locations asks no server', () => {
  expect(outsideChecks(loadConfig({}), PUBLIC_URL)).toEqual({});
});
