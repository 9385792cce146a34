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
  for (const { parameters = [] } of Object.values(content.paths).flatMap(Object.values))
    for (const parameter of parameters)
      if (parameter.name === 'organization_slug' && organization !== '') parameter.example = organization;
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
