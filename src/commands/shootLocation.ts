import { readFileSync } from 'node:fs';
import type { ShootOptions } from '../capture/shoot/shoot.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { createGuard } from '../egress/guard.ts';
import { Locations } from '../egress/locations.ts';

interface LocationFlags {
  /** The id of a location. */
  readonly location?: string;
  /** A file with the value of the setting LOCATIONS. */
  readonly locations?: string;
  readonly allow?: readonly string[];
}

/**
 * Finds the location among those of the file, or of the setting LOCATIONS. The credentials come from the setting
 * LOCATION_CREDENTIALS.
 * @throws ConfigError that lists the locations, or the faults of a setting.
 */
export function findLocation({ location: id, locations: file, allow = [] }: LocationFlags): ShootOptions['located'] {
  if (id === undefined) return undefined;
  const env = file === undefined ? process.env : { ...process.env, LOCATIONS: readFileSync(file, 'utf8') };
  const { LOCATIONS, LOCATION_CREDENTIALS: credentials } = loadConfig(env);
  // Browsers inherit the environment.
  delete process.env['LOCATION_CREDENTIALS'];
  const guard = createGuard({ allow, allowWith: 'flag' });
  const locations = new Locations({ locations: LOCATIONS, credentials, guard });
  const [location, connector] = [locations.find(id), locations.connector(id)];
  if (location !== undefined && connector !== undefined) return { location, connector };
  const known = locations.ids.length === 0 ? 'none; pass --locations' : locations.ids.join(', ');
  throw new ConfigError(`There is no location "${id}". Known locations: ${known}.`);
}
