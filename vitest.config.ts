import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Matrices of many cases, and tests that take long. Only `make verify` runs them. */
const LONG = 'test/integration/**/*.long.test.ts';
/** Integration tests that do not share modules between files. */
const ISOLATED = ['commands', 'dev', 'observe'].map((folder) => `test/integration/${folder}/**/*.test.ts`);

/** The browser that scripts/setup.sh found, so that the programs that tests start do not load Playwright to search for it. */
const FOUND = path.join(import.meta.dirname, '.node/chromium.path');
const chromiumPath = process.env['CHROMIUM_PATH'] ?? (existsSync(FOUND) ? readFileSync(FOUND, 'utf8').trim() : '');

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summaryReporter.ts'],
    // The browsers and servers of the tests share the machine with the workers.
    maxWorkers: 4,
    // The projects compile each module once, and later runs not again.
    fsModuleCache: true,
    // As long as test/support/eventually.ts waits.
    expect: { poll: { timeout: 100_000 } },
    // Node caches the compiled sources of the programs that tests start.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, '.cache/compiled'), CHROMIUM_PATH: chromiumPath },
    projects: [
      {
        extends: true,
        // Unit tests keep no state in modules, so the files of a worker share the loaded modules.
        test: {
          name: 'unit',
          setupFiles: ['test/support/failOnLoggedErrors.ts'],
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        // The first test waits until PostgreSQL has started. The files of a worker share the loaded modules.
        test: {
          name: 'integration',
          globalSetup: ['test/support/globalPostgres.ts'],
          setupFiles: ['test/support/failOnLoggedErrors.ts'],
          include: ['test/integration/**/*.test.ts'],
          exclude: [...ISOLATED, LONG],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        // These tests start browsers and programs, and each file gets its own worker process.
        test: {
          name: 'integration-isolated',
          globalSetup: ['test/support/globalPostgres.ts'],
          setupFiles: ['test/support/failOnLoggedErrors.ts'],
          include: ISOLATED,
          exclude: [LONG],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration-long',
          globalSetup: ['test/support/globalPostgres.ts'],
          setupFiles: ['test/support/failOnLoggedErrors.ts'],
          include: [LONG],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        // The first test waits until the API server has started; on a new machine it is built first. The files of a
        // worker share the loaded modules and the renderings of the chart.
        test: {
          name: 'cluster',
          globalSetup: ['test/support/globalPostgres.ts', 'test/support/globalCluster.ts'],
          setupFiles: ['test/support/failOnLoggedErrors.ts'],
          include: ['test/cluster/**/*.test.ts'],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 40 * 60_000,
        },
      },
      {
        extends: true,
        // Long tests. Only `make verify` runs them. They end processes at every call, which logs errors.
        test: {
          name: 'verify',
          globalSetup: ['test/support/globalPostgres.ts', 'test/support/globalCluster.ts'],
          include: ['test/verify/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 40 * 60_000,
        },
      },
      {
        extends: true,
        // These tests mostly wait for the cluster.
        test: {
          name: 'e2e',
          globalSetup: ['test/support/globalPostgres.ts', 'test/e2e/support/globalE2e.ts'],
          include: ['test/e2e/*.test.ts'],
          maxWorkers: 4,
          testTimeout: 15 * 60_000,
          hookTimeout: 15 * 60_000,
        },
      },
      {
        extends: true,
        // These tests kill parts of the cluster, so they run one by one. Only `make verify` runs them.
        test: {
          name: 'e2e-alone',
          globalSetup: ['test/support/globalPostgres.ts', 'test/e2e/support/globalE2e.ts'],
          include: ['test/e2e/alone/*.test.ts'],
          fileParallelism: false,
          testTimeout: 15 * 60_000,
          hookTimeout: 15 * 60_000,
        },
      },
    ],
  },
});
