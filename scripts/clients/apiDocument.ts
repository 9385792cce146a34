/** Reads the OpenAPI document as the generators of the clients need it: models and operations. */
import { buildOpenApi } from '../../src/api/public/openApi.ts';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  /** The operationId. */
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  /** Below the path of the organization, with the names of its parameters in braces. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** The query as one object. */
  readonly query?: Schema;
  readonly body?: { readonly schema: Schema | 'bytes'; readonly required: boolean };
  /** One for each shape of a successful answer; none if it has no body. */
  readonly results: readonly Schema[];
  /** The type of one entry, if the operation reads a list page by page. */
  readonly item?: Schema;
  /** Whether a second identical request has no further effect, so that the client may repeat it after a lost connection. */
  readonly repeatable: boolean;
}

export interface ApiDocument {
  readonly models: Readonly<Record<string, Schema>>;
  readonly operations: readonly Operation[];
  /** The bodies of webhooks. */
  readonly events: readonly Schema[];
}

const BASE = '/api/v1/orgs/{organization_slug}';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function readApiDocument(): ApiDocument {
  const document = buildOpenApi() as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      // An operation that redirects is a link for browsers and scripts, not a call.
      .filter(([, described]) => described.responses['302'] === undefined)
      .map(([method, described]) => readOperation(method, path, described)),
  );
  const events = Object.values(document.webhooks).flatMap(({ post }) => jsonOf(post.requestBody?.content) ?? []);
  return { models: document.components.schemas, operations, events };
}

function readOperation(method: string, path: string, described: Described): Operation {
  const name = described.operationId;
  if (name === undefined)
    throw new Error(`${method} ${path} needs an operationId: the clients name their method by it.`);
  if (!path.startsWith(`${BASE}/`))
    throw new Error(`${name}: the clients call paths below ${BASE} only. Extend scripts/clients for ${path}.`);
  const below = path.slice(BASE.length);
  const parameters = described.parameters ?? [];
  const results = resultsOf(described);
  const query = queryOf(parameters.filter((parameter) => parameter.in === 'query'));
  const item = results.map(itemOf).find((found) => found !== undefined);
  return {
    ...{ name, summary: described.summary ?? name, method: method.toUpperCase(), path: below, results },
    pathParameters: [...below.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter),
    ...(query && { query }),
    ...(described.requestBody && { body: bodyOf(described.requestBody) }),
    ...(item && query?.properties?.['page'] && { item }),
    repeatable: isRepeatable(method, described),
  };
}

/** A POST may be repeated if it takes an Idempotency-Key, or if it answers 200 for an object that exists already. */
function isRepeatable(method: string, { parameters = [], responses }: Described): boolean {
  if (method !== 'post') return true;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const isFound = '200' in responses && ('201' in responses || '202' in responses);
  return takesKey || isFound;
}

function resultsOf({ responses }: Described): Schema[] {
  const found = Object.entries(responses)
    .filter(([status]) => /^2\d\d$/.test(status))
    .flatMap(([, { content }]) => jsonOf(content) ?? []);
  const distinct = new Map(found.map((schema) => [JSON.stringify(schema), schema]));
  return [...distinct.values()];
}

function itemOf({ properties }: Schema): Schema | undefined {
  const isPage = properties?.['page'] !== undefined && properties['total'] !== undefined;
  return isPage ? properties['data']?.items : undefined;
}

function queryOf(parameters: readonly Parameter[]): Schema | undefined {
  if (parameters.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function bodyOf({ required = false, content }: NonNullable<Described['requestBody']>) {
  return { schema: jsonOf(content) ?? ('bytes' as const), required };
}

function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** A description without the mark of the document for behaviour that this service chose itself. */
export function textOf(description: string | undefined): string {
  return (description ?? '').replaceAll(' *(ours)*', '').replaceAll('*(ours)*', '').replaceAll(/\s+/g, ' ').trim();
}
