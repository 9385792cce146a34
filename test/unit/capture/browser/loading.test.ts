import { expect, test } from 'vitest';
import { packageLoads } from '../../../support/packageLoads.ts';

test('a process loads Playwright, which takes 75 MB, only when it starts a browser', async () => {
  const services = "await import('./commands/apiCommand.ts'); await import('./commands/controllerCommand.ts');";
  expect(await packageLoads('playwright-core', `${services} await import('./capture/engine/engine.ts');`)).toBe(0);
  const start = "const { startBrowser } = await import('./capture/browser/browserProcess.ts');";
  const fails = "await startBrowser({ chromiumPath: '/no/such/browser' }, { flags: [] }).catch(() => undefined);";
  expect(await packageLoads('playwright-core', start + fails)).toBe(1);
}, 30_000);
