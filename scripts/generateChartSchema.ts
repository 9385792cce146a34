import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { SETTINGS } from '../src/config.ts';
import { type ChartValue, readChartValues } from './chartValues.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const TEMPLATE = fileURLToPath(new URL('../charts/tearsheet/templates/_settings.tpl', import.meta.url));

/** Settings that the chart or the image decides; given by hand they would contradict those. */
const DERIVED = new Set([
  ...[
    'CHROMIUM_PATH',
    'DATABASE_URL',
    'HOST',
    'LOCATION_CREDENTIALS',
    'NAMESPACE',
    'OIDC_CLIENT_SECRET',
    'SECRETS_KEYS',
  ],
  'SMTP_URL',
  ...[...readFileSync(TEMPLATE, 'utf8').matchAll(/^ {2}"([A-Z0-9_]+)" /gm)].map(([, name = '']) => name),
]);

/** charts/tearsheet/values.schema.json: Helm refuses what is misspelt or of another type before it installs anything. */
export function generateChartSchema(): string {
  const root = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart tearsheet' };
  const values = group(readChartValues());
  // Helm hands `global` to every chart that is a part of another one.
  const schema = { ...root, ...values, properties: { global: { type: 'object' }, ...values.properties } };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function group(values: readonly ChartValue[]) {
  const properties = Object.fromEntries(values.map((value) => [value.name, schemaOf(value)]));
  return { type: 'object', additionalProperties: false, properties };
}

function schemaOf(value: ChartValue): JsonSchema {
  if (value.inner.length > 0) return group(value.inner);
  const { $open, $settings, $alerts, ...given } = value.schema;
  const inferred =
    $settings === true ? settings() : $alerts === undefined ? { type: typeOf(value.fallback) } : alerts($alerts);
  return { description: value.description, default: value.fallback, ...inferred, ...given };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
}

function settings(): JsonSchema {
  const names = Object.entries(SETTINGS).filter(([name]) => !DERIVED.has(name));
  const properties = names.map(([name, { description, schema }]) => [name, { description, ...settingSchema(schema) }]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** A values file may have a number or a boolean where the environment has its text. */
function settingSchema(schema: z.ZodType): JsonSchema {
  const options = { unrepresentable: 'any' } as const;
  const { enum: words } = z.toJSONSchema(schema, { ...options, io: 'input' });
  if (words !== undefined) return { enum: words.includes('true') ? [...words, true, false] : words };
  const { type, minimum, maximum } = z.toJSONSchema(schema, { ...options, io: 'output' });
  if (type !== 'number') return { type: ['string', 'number', 'boolean'] };
  return { type: ['integer', 'string'], minimum, maximum, pattern: '^[0-9]*$' };
}

const ALERTS = fileURLToPath(new URL('../charts/tearsheet/files/alerts.yaml', import.meta.url));

/** A list of alerts by name, or something for each of them. */
function alerts(as: unknown): JsonSchema {
  const names = [...readFileSync(ALERTS, 'utf8').matchAll(/^- alert: (\w+)$/gm)].map(([, name = '']) => name);
  if (as === 'names') return { type: 'array', items: { type: 'string', enum: names } };
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'object' }]));
  return { type: 'object', additionalProperties: false, properties };
}
