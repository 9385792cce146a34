import { z } from 'zod';
import { LocationRecord } from '../../../contract/locations.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { COST } from '../../limits/costs.ts';
import { jsonResponse, type Route, readOrFail } from '../endpoint.ts';
import { list } from './operation.ts';

const LocationsQuery = z.object({});

export const locationRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/locations',
    scope: 'read',
    cost: COST.list,
    operation: {
      ...list('listLocations', 'List the locations', LocationsQuery, LocationRecord),
      description: `The countries from which pages can be opened, as \`options.page.location\`. The operator chooses them. ${OURS}`,
    },
    handler: async ({ request }, { locations }) => {
      readOrFail(LocationsQuery, request.query);
      const data = (locations?.all ?? []).map(({ id, name, country, locale, time_zone }): LocationRecord => {
        const available = locations?.isAvailable(id) ?? false;
        return { type: 'location', id, name, country, locale, time_zone, available };
      });
      return jsonResponse(200, { data, page: 1, per_page: Math.max(1, data.length), total: data.length });
    },
  },
];
