/** The fields of a schema as a list, nested ones with their path. */
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { Parameter, Schema } from './operations.ts';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/g;

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export function fieldList(schema: Schema): Html {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return html`<p>${typeOf(schema)}. ${inline(schema.description ?? '')}</p>`;
  return list(fields.map(({ path, schema: own, required }) => entry(path, own, { required })));
}

export function parameterList(parameters: readonly Parameter[]): Html {
  return list(
    parameters.map(({ name, in: place, required = false, schema, description }) =>
      entry(name, { ...schema, description: description ?? schema.description ?? '' }, { required, place }),
    ),
  );
}

function list(entries: readonly Html[]): Html {
  return html`<dl class="field-list">${entries}</dl>`;
}

function entry(path: string, schema: Schema, { required, place }: { required: boolean; place?: string }): Html {
  const facts = [place, required && 'required', ...limitsOf(schema)].filter((fact) => typeof fact === 'string');
  return html`<div><dt><code>${path}</code> <span>${typeOf(schema)}${facts.map((fact) => html`, ${fact}`)}</span></dt><dd>${inline(schema.description ?? '')}</dd></div>
`;
}

/** Inline objects are flattened; named objects are links. */
function fieldsOf(schema: Schema, prefix: string): Field[] {
  const parts = [schema, ...(schema.allOf ?? [])];
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, own]) => {
      const path = `${prefix}${name}`;
      const inner = own.items ?? own;
      const more = inner.$ref === undefined ? fieldsOf(inner, `${path}${own.items === undefined ? '.' : '[].'}`) : [];
      return [{ path, schema: own, required: required.includes(name) }, ...more];
    }),
  );
}

export function typeOf(schema: Schema): HtmlContent {
  if (schema.$ref !== undefined) return schemaLink(schema.$ref);
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(typeOf));
  if (schema.allOf?.length === 1 && schema.allOf[0] !== undefined) return typeOf(schema.allOf[0]);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return joined(types.map((type) => (type === 'array' ? html`array of ${typeOf(schema.items ?? {})}` : type)));
}

function joined(all: readonly HtmlContent[]): HtmlContent {
  return all.map((one, index) => (index === 0 ? one : html` or ${one}`));
}

function schemaLink(ref: string): Html {
  const name = ref.split('/').at(-1) ?? '';
  return html`<a href="#${name}">${name}</a>`;
}

function limitsOf({ format, minimum, maximum, maxLength, maxItems, default: usual }: Schema): string[] {
  // JSON Schema gives integers without a limit the largest safe integer.
  const highest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const lowest = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const range =
    highest === undefined
      ? lowest === undefined
        ? undefined
        : `at least ${lowest}`
      : lowest === undefined
        ? `at most ${highest}`
        : `${lowest} to ${highest}`;
  return [
    format,
    range,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
    usual === undefined ? undefined : `default ${JSON.stringify(usual)}`,
  ].filter((fact) => fact !== undefined);
}

/** The little Markdown of the descriptions in the OpenAPI document: paragraphs, code, strong and emphasized text, links. */
export function paragraphs(text: string): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

export function inline(text: string): (Html | string)[] {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index), format(match));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function format([, code, strong, emphasized, label, address]: RegExpExecArray): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong !== undefined) return html`<strong>${strong}</strong>`;
  if (emphasized !== undefined) return html`<em>${emphasized}</em>`;
  return html`<a href="${address}">${label}</a>`;
}
