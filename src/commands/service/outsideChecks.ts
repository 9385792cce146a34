/** Checks of servers outside of the cluster that the settings name: mail, the identity provider, and proxies of locations. */
import type { Config } from '../../config.ts';
import { createGuard } from '../../egress/guard.ts';
import { Locations } from '../../egress/locations.ts';
import { CredentialsRejectedError } from '../../egress/upstreamDial.ts';
import { type Section, SkippedError } from '../sections.ts';
import { mailerOf, providerOf } from './people.ts';

/** @returns a section for each one that is configured. One whose secret this process does not have throws SkippedError. */
export function outsideChecks(config: Config, publicUrl: string): Record<string, Section> {
  const {
    SMTP_URL,
    OIDC_ISSUER,
    OIDC_CLIENT_SECRET,
    LOCATIONS,
    LOCATION_CREDENTIALS: credentials,
    EGRESS_ALLOW: allow,
  } = config;
  const locations = new Locations({ locations: LOCATIONS, credentials, guard: createGuard({ allow }) });
  // Without a check address, no host is known that a proxy must reach.
  const ofLocations = LOCATIONS.flatMap(({ id, check_url }): [string, Section][] =>
    check_url === null
      ? []
      : [[`location ${id}`, () => connectThrough({ locations, id, hasCredentials: id in credentials }, check_url)]],
  );
  return {
    ...(SMTP_URL !== undefined && { mail: async () => (await mailerOf(config))?.verify() }),
    // The start of a sign-in reads the provider's discovery document.
    ...(OIDC_ISSUER !== undefined && {
      'sign-in': async () => {
        if (OIDC_CLIENT_SECRET === undefined)
          throw new SkippedError('this process has no OIDC_CLIENT_SECRET. API pods have it.');
        await (await providerOf(config, publicUrl))?.start();
      },
    }),
    ...Object.fromEntries(ofLocations),
  };
}

interface ThroughLocation {
  readonly locations: Locations;
  readonly id: string;
  readonly hasCredentials: boolean;
}

async function connectThrough({ locations, id, hasCredentials }: ThroughLocation, address: string): Promise<void> {
  const { hostname, protocol, port } = new URL(address);
  try {
    const socket = await locations.connector(id)?.connect(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
    socket?.destroy();
  } catch (error) {
    const asksForThem = error instanceof Error && error.cause instanceof CredentialsRejectedError;
    if (!asksForThem || hasCredentials) throw error;
    throw new SkippedError(
      `its proxy asks for credentials, and LOCATION_CREDENTIALS of this process has none for it. API pods have them.`,
    );
  }
}
