/** Opens and checks the API reference, which a library draws after the page is loaded. */
import type { Page } from 'playwright';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import type { openPage } from './browser.ts';
import { AXE_WIDTHS } from './everyPage.ts';
import { keyboardFaults } from './keyboard.ts';

/** Opens the reference at an operation, a webhook or a schema, and waits until it shows the title. */
export async function openReference(
  url: string,
  page: Page,
  { fragment, title }: { readonly fragment: string; readonly title: string },
): Promise<void> {
  await page.goto(`${url}/docs#${fragment}`);
  await page.getByRole('heading', { name: title }).first().waitFor();
}

/** @returns the faults that axe finds, and on a wide screen the controls that Tab does not reach. */
export async function faultsOfReference(
  url: string,
  open: typeof openPage,
  look: keyof typeof AXE_WIDTHS,
): Promise<string[]> {
  const width = AXE_WIDTHS[look];
  const { page } = await open({ viewport: { width, height: 900 } });
  const fragment = 'tag/webhook-endpoints/POST/api/v1/orgs/{organization_slug}/webhook_endpoints';
  await openReference(url, page, { fragment, title: 'Create a webhook endpoint' });
  const faults = await axeFaults(page);
  const wide = await sidewaysScroll(page);
  if (wide !== undefined) faults.push(`${width}: scrolls sideways: ${wide}`);
  if (look === 'wide') return [...faults, ...(await keyboardFaults(page))];
  // Only colors change with the scheme.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('body.dark-mode').waitFor();
  return [...faults, ...(await axeFaults(page, ['color-contrast']))];
}
