import { buildOpenApi } from '../src/contract/openApi.ts';

/** docs/openapi.json, from src/contract. */
export function generateOpenApi(): string {
  return `${JSON.stringify(buildOpenApi(), undefined, 2)}\n`;
}
