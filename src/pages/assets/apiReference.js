/* Shows the OpenAPI document with Scalar, whose script follows this one. */
// zod, a part of Scalar, tries whether it may evaluate code unless told not to. The policy of the page would report that.
globalThis.__zod_globalConfig = { jitless: true };

document.addEventListener('DOMContentLoaded', () => {
  const place = document.querySelector('#reference');
  show(place.dataset).catch((error) => {
    place.textContent = `The reference could not be loaded: ${error.message} Reload the page.`;
  });
});

async function show({ document: address, base, organization }) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`);
  const content = await answer.json();
  const operations = Object.entries(content.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  for (const { operation } of operations) {
    const parameter = operation.parameters?.find(({ name }) => name === 'organization_slug');
    if (parameter !== undefined && organization !== '') parameter.example = organization;
  }
  const moved = movedTo(decodeURIComponent(location.hash.slice(1)), content, operations);
  if (moved !== undefined) history.replaceState(undefined, '', `#${moved}`);
  globalThis.Scalar.createApiReference('#reference', {
    content,
    servers: [{ url: location.origin + base }],
    authentication: { preferredSecurityScheme: 'bearer' },
    theme: 'none',
    withDefaultFonts: false,
    hideDarkModeToggle: true,
    hideClientButton: true,
    documentDownloadType: 'none',
    showDeveloperTools: 'never',
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}

/** Links to the reference of version 0.1.0 have other fragments. Returns today's, or undefined if it is the same. */
function movedTo(old, { components }, operations) {
  const [, webhook] = /^webhook-(\w+)$/.exec(old) ?? [];
  if (webhook !== undefined) return `webhook/POST/${slugOf(webhook)}`;
  if (old === 'objects') return 'models';
  if (Object.hasOwn(components.schemas, old)) return `models/${old}`;
  const found = operations.find(({ method, path }) => {
    const place = path.replace('/api/v1/orgs/{organization_slug}', '').replace(/[^a-z0-9_]+/gi, '-');
    return `${method}${place}`.replace(/-$/, '') === old;
  });
  if (found === undefined) return undefined;
  const { method, path, operation } = found;
  return `tag/${slugOf(operation.tags?.[0] ?? 'default')}/${method.toUpperCase()}${path}`;
}

function slugOf(name) {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
