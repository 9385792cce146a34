import { type Html, html } from '../../lib/html.ts';
import { badge } from '../components.ts';
import type { ResultsPage } from '../context.ts';
import type { PageRoutes } from '../pageRoutes.ts';
import { pathsOf } from '../paths.ts';
import { fieldList, inline, paragraphs, parameterList, typeOf } from './fields.ts';
import {
  idVariables,
  type NamedOperation,
  type OpenApiDocument,
  openApiDocument,
  operationsOf,
  sampleRequest,
} from './operations.ts';

/** @param publicUrl the address of the service in the samples. */
function referencePage(document: OpenApiDocument, publicUrl: string): ResultsPage {
  const operations = operationsOf(document.paths);
  const tags = [...document.tags.map(({ name }) => name), ...operations.map(({ operation }) => tagOf(operation))];
  const groups = [...new Set(tags)].map((name) => ({
    name,
    operations: operations.filter(({ operation }) => tagOf(operation) === name),
  }));
  const webhooks = operationsOf(document.webhooks).map((one) => ({ ...one, id: `webhook-${one.path}` }));
  const schemas = Object.entries(document.components.schemas);
  const body = html`<div class="reference">
<nav class="toc" aria-label="Operations">${groups.map(({ name, operations: own }) => tocGroup(name, own))}
<p>More</p><ul><li><a href="#webhooks">Webhooks</a></li><li><a href="#objects">Objects</a></li></ul></nav>
<div class="content">
<section><h1>API reference</h1>${paragraphs(document.info.description)}
<p>The same reference for programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p></section>
<section id="samples"><h2>The samples</h2><p>Each sample is a command for a POSIX shell. Set these variables once. The answers give the ids that other samples need.</p>
<pre>${`export TEARSHEET="${publicUrl}"\nexport ORGANIZATION="demo"\nexport KEY="ts_live_…"`}</pre></section>
${groups.map(({ name, operations: own }) => html`<section><h2>${name}</h2>${own.map(operationSection)}</section>`)}
<section id="webhooks"><h2>Webhooks</h2>${webhooks.map(webhookSection)}</section>
<section id="objects"><h2>Objects</h2>${schemas.map(([name, schema]) => html`<article class="panel" id="${name}"><h3>${name}</h3>${schema.description !== undefined && html`<p>${inline(schema.description)}</p>`}${fieldList(schema)}</article>`)}</section>
</div>
</div>`;
  return { title: 'API reference', body, assets: ['reference.css'] };
}

/** The colours of methods. */
const METHOD_STATES: Readonly<Record<string, string>> = { GET: 'active', DELETE: 'failed' };

const tagOf = ({ tags = [] }: NamedOperation['operation']) => tags[0] ?? 'Other';

function tocGroup(name: string, operations: readonly NamedOperation[]): Html {
  const items = operations.map(({ id, operation: { summary } }) => html`<li><a href="#${id}">${summary}</a></li>`);
  return html`<p>${name}</p><ul>${items}</ul>`;
}

function operationSection(named: NamedOperation): Html {
  const { method, path, operation, id } = named;
  const ids = idVariables(path);
  return html`<article class="panel" id="${id}"><h3>${operation.summary}</h3>
<p class="place">${badge(METHOD_STATES[method] ?? '', method)} <code>${path}</code></p>
${paragraphs(operation.description ?? '')}
<h4>Sample</h4>
<pre>${sampleRequest(named)}</pre>
${ids.length > 0 && html`<p class="hint">Set ${ids.map((name, index) => html`${index > 0 && ' and '}<code>${name}</code>`)} first.</p>`}
${(operation.parameters ?? []).length > 0 && html`<h4>Parameters</h4>${parameterList(operation.parameters ?? [])}`}
${bodySection(named)}
<h4>Responses</h4>
<dl class="field-list">${Object.entries(operation.responses).map(responseEntry)}</dl>
</article>
`;
}

function bodySection({ operation: { requestBody } }: NamedOperation): Html | false {
  if (requestBody === undefined) return false;
  const entries = Object.entries(requestBody.content).map(
    ([type, { schema = {} }]) => html`<div><dt><code>${type}</code></dt><dd>${typeOf(schema)}</dd></div>`,
  );
  return html`<h4>Body${requestBody.required !== true && ' (optional)'}</h4><dl class="field-list">${entries}</dl>`;
}

function responseEntry([status, { description, content = {} }]: [
  string,
  NamedOperation['operation']['responses'][string],
]): Html {
  const schema = Object.values(content)[0]?.schema;
  const type =
    schema === undefined || Number(status) >= 400 || status === 'default'
      ? ''
      : typeOf(schema.properties?.['results'] ?? schema);
  return html`<div><dt><code>${status}</code> <span>${type}</span></dt><dd>${inline(description)}</dd></div>
`;
}

function webhookSection({ id, path, operation }: NamedOperation): Html {
  return html`<article class="panel" id="${id}"><h3>${operation.summary}</h3><p class="place">${badge('', 'POST')} <code>${path}</code> to the address of your subscriber</p>
${bodySection({ id, path, operation, method: 'POST' })}
<h4>Headers</h4>${parameterList(operation.parameters ?? [])}
<h4>Your answer</h4><dl class="field-list">${Object.entries(operation.responses).map(responseEntry)}</dl></article>`;
}

/** The route of the API reference. */
export function addReferenceRoutes(pages: PageRoutes): void {
  const { publicUrl, limits } = pages.options;
  const page = referencePage(openApiDocument(limits), publicUrl);
  pages.router.get('/docs', (_request, response) => pages.send(response, page, { paths: pathsOf(publicUrl, '') }));
}
