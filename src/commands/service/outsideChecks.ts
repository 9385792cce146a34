/** Checks of servers outside of the cluster that the settings name: mail, the provider of accounts, and proxies of locations. */
import type { Config } from '../../config.ts';
import { createGuard } from '../../egress/guard.ts';
import { Locations } from '../../egress/locations.ts';
import type { Section } from '../sections.ts';
import { mailerOf, providerOf } from './people.ts';

/** @returns a section for each one that is configured. */
export function outsideChecks(config: Config, publicUrl: string): Record<string, Section> {
  const { SMTP_URL, OIDC_ISSUER, LOCATIONS, LOCATION_CREDENTIALS: credentials, EGRESS_ALLOW: allow } = config;
  const locations = new Locations({ locations: LOCATIONS, credentials, guard: createGuard({ allow }) });
  // Without a check address, no host is known that a proxy must reach.
  const ofLocations = LOCATIONS.flatMap(({ id, check_url }): [string, Section][] =>
    check_url === null ? [] : [[`location ${id}`, () => connectThrough(locations, id, check_url)]],
  );
  return {
    ...(SMTP_URL !== undefined && { mail: async () => (await mailerOf(config))?.verify() }),
    // The start of a sign-in reads what the provider says of itself.
    ...(OIDC_ISSUER !== undefined && { 'sign-in': async () => (await providerOf(config, publicUrl))?.start() }),
    ...Object.fromEntries(ofLocations),
  };
}

async function connectThrough(locations: Locations, id: string, address: string): Promise<void> {
  const { hostname, protocol, port } = new URL(address);
  const socket = await locations.connector(id)?.connect(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
  socket?.destroy();
}
