import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Browsers and servers share the machine with the tests.
    maxWorkers: 3,
    // A shared machine may stall: CI tries once more, and marks what passed only then as (retry x1). Here nothing is hidden.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    // The programs that tests start from their source are stripped of types and compiled once, not at each start.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, '.cache/compiled') },
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
      {
        extends: true,
        // A first test waits for the API server, and on a new machine for its build.
        test: {
          name: 'cluster',
          globalSetup: ['test/support/globalPostgres.ts', 'test/support/globalCluster.ts'],
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 40 * 60_000,
        },
      },
      {
        extends: true,
        // Most of their time is waiting.
        test: {
          name: 'e2e',
          globalSetup: ['test/support/globalPostgres.ts', 'test/e2e/support/globalE2e.ts'],
          include: ['test/e2e/*.test.ts'],
          maxWorkers: 4,
          testTimeout: 6 * 60_000,
          hookTimeout: 10 * 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // Afterwards, for they want the cluster for themselves: they take parts of it down.
        test: {
          name: 'e2e-alone',
          globalSetup: ['test/support/globalPostgres.ts', 'test/e2e/support/globalE2e.ts'],
          include: ['test/e2e/alone/*.test.ts'],
          fileParallelism: false,
          testTimeout: 6 * 60_000,
          hookTimeout: 10 * 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        // Figures, not tests: only `make bench-cluster` runs it.
        test: {
          name: 'bench-cluster',
          globalSetup: ['test/e2e/support/globalE2e.ts'],
          include: ['test/bench/cluster/*.test.ts'],
          fileParallelism: false,
          testTimeout: 15 * 60_000,
          hookTimeout: 10 * 60_000,
        },
      },
    ],
  },
});
