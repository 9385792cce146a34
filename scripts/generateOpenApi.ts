import { buildOpenApi } from '../src/api/public/openApi.ts';

/** docs/openapi.json, from the table of routes in src/api/public/routes. */
export function generateOpenApi(): string {
  return `${JSON.stringify(buildOpenApi(), undefined, 2)}\n`;
}
