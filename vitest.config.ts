import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Browsers and servers share the machine with the tests.
    maxWorkers: 2,
    retry: 0,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 60_000 },
      },
      {
        extends: true,
        // A first test waits for PostgreSQL, or for a browser.
        test: {
          name: 'integration',
          globalSetup: ['test/support/globalPostgres.ts'],
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
