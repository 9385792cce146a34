import { z } from 'zod';
import { LocationRecord } from '../../../contract/locations.ts';
import { jsonResponse, type Route } from '../endpoint.ts';
import { list, route } from './operation.ts';

const LocationsQuery = z.object({});

export const locationRoutes: readonly Route[] = [
  route('get /locations', 'read', {
    ...list('listLocations', 'List the locations', LocationsQuery, LocationRecord),
    description: `The countries from which pages can be opened, as \`options.page.location\`. The operator chooses them.`,
    handler: async (_call, { locations }) => {
      const data = (locations?.all ?? []).map(({ id, name, country, locale, time_zone }): LocationRecord => {
        const available = locations?.isAvailable(id) ?? false;
        return { type: 'location', id, name, country, locale, time_zone, available };
      });
      return jsonResponse(200, { data, page: 1, per_page: Math.max(1, data.length), total: data.length });
    },
  }),
];
