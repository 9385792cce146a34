import { expect, test } from 'vitest';
import type { ExportPicture } from '../../../src/core/exports/exportContent.ts';
import { pictureName } from '../../../src/exports/zip/writeZip.ts';
import { examplePicture } from './examplePicture.ts';

const name = (given: Partial<ExportPicture>, at = 0) => pictureName({ ...examplePicture, ...given }, { at, digits: 3 });

test('a file name has number, site, device, ad and moment', () => {
  expect(name({ marker_ms: 2_500 }, 11)).toBe('012-news.example-iphone-Spring-sale-2.5s');
  expect(name({ ad_name: 'Größe/..\\: ñ' })).toBe('001-news.example-iphone-Gro-e-.-n');
});

test('a name without Latin letters still gives a file name', () => {
  expect(name({ ad_name: 'حملة', site_url: 'https://عربي.example/' })).toBe('001-example-iphone');
});

test('no file name can leave its folder or be very long', () => {
  for (const ad_name of ['../../etc/passwd', '/root', 'C:\\x', '.', '..', 'x'.repeat(500), '\u0000\n']) {
    const made = name({ ad_name });
    expect(made).toMatch(/^001-[A-Za-z0-9._-]+$/);
    expect(made).not.toContain('..');
    expect(made.length).toBeLessThan(160);
  }
});
