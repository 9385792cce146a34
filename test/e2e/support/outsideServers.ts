/** An identity provider and the proxy of a location outside the cluster, and the values with which an installation uses them. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { startListener } from '../../support/listeners.ts';
import { PROXY_CREDENTIALS, startConnectProxy } from '../../support/upstreamProxies.ts';
import { host } from './environment.ts';
import type { Values } from './helmInstallation.ts';

const TLS = path.join(import.meta.dirname, '../../fixtures/tls');
/** A name in the fixture's certificate that is not an address of the pod. */
const PROVIDER = 'shop.localhost';
const TRUSTED = '/etc/provider/ca.pem';

export interface OutsideServers {
  readonly values: Values;
  /** Arguments of `kubectl create` for the objects that the values name. */
  readonly objects: readonly string[][];
  close(): Promise<void>;
}

export async function startOutsideServers(): Promise<OutsideServers> {
  const [provider, proxy] = await Promise.all([startDiscovery(), startConnectProxy({ host: host() })]);
  const credentials = JSON.stringify({ de: PROXY_CREDENTIALS });
  return {
    objects: [
      ['configmap', 'provider', `--from-file=ca.pem=${path.join(TLS, 'ca.pem')}`],
      ['secret', 'generic', 'provider', '--from-literal=OIDC_CLIENT_SECRET=secret'],
      ['secret', 'generic', 'proxies', `--from-literal=LOCATION_CREDENTIALS=${credentials}`],
    ],
    values: {
      signIn: { issuer: provider.issuer, clientId: 'tearsheet', existingSecret: 'provider' },
      locations: { list: [locationThrough(proxy.url)], existingSecret: 'proxies' },
      pods: {
        hostAliases: [{ ip: host(), hostnames: [PROVIDER] }],
        extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: TRUSTED }],
        extraVolumes: [{ name: 'provider', configMap: { name: 'provider' } }],
        extraVolumeMounts: [{ name: 'provider', mountPath: path.dirname(TRUSTED), readOnly: true }],
      },
    },
    async close() {
      await Promise.all([provider.close(), proxy.close()]);
    },
  };
}

/** @param proxy also the host that the check reaches through it. */
function locationThrough(proxy: string) {
  const place = { country: 'DE', locale: 'de-DE', languages: ['de-DE'], time_zone: 'Europe/Berlin' };
  return { id: 'de', name: 'Germany', ...place, proxy, check_url: proxy };
}

/** Serves only what a provider publishes of itself, which is all that the checks read. */
async function startDiscovery(): Promise<{ readonly issuer: string; close(): Promise<void> }> {
  const [key, cert] = ['server.key', 'good.pem'].map((file) => readFileSync(path.join(TLS, file)));
  const endpoints = ['authorization', 'token', 'userinfo'];
  const server = createServer({ key, cert }, (request, response) => {
    const issuer = `https://${request.headers.host}`;
    const document = Object.fromEntries(endpoints.map((name) => [`${name}_endpoint`, `${issuer}/${name}`]));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ issuer, ...document, jwks_uri: `${issuer}/jwks` }));
  });
  const { port, close } = await startListener(server, host());
  return { issuer: `https://${PROVIDER}:${port}`, close };
}
