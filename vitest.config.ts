import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,integration}/**/*.test.ts'],
    globalSetup: ['test/support/globalPostgres.ts'],
    // A first test waits for PostgreSQL, or for a browser.
    hookTimeout: 120_000,
    testTimeout: 60_000,
  },
});
