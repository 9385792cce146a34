import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { createLogger } from '../observe/logger.ts';

export function captureCommand(program: Command): void {
  program
    .command('capture')
    .description('run one index of a capture job; the controller starts it and sets its environment')
    .action(async () => {
      const { findChromium } = await import('../capture/browser/chromium.ts');
      const { startEngine } = await import('../capture/engine/engine.ts');
      const { runCapture } = await import('../capture/program/program.ts');
      const config = loadConfig(process.env);
      const log = createLogger({ level: config.LOG_LEVEL, name: 'capture' });
      const env = { ...process.env };
      // Browsers open untrusted pages and inherit the environment, so they must not get the token.
      delete process.env['TEARSHEET_TOKEN'];
      delete process.env['TEARSHEET_TOKEN_FILE'];
      const code = await runCapture({
        env,
        log,
        stdin: process.stdin,
        creativesAtOnce: config.CREATIVES_AT_ONCE,
        terminationLog: config.TERMINATION_LOG,
        timing: { graceMs: config.SHUTDOWN_GRACE_SECONDS * 1_000 },
        ...(config.PAGES_AT_ONCE !== undefined && { pagesAtOnce: config.PAGES_AT_ONCE }),
        startEngine: () =>
          startEngine({
            chromiumPath: findChromium(config.CHROMIUM_PATH),
            allow: config.EGRESS_ALLOW,
            allowWith: env['TEARSHEET_ALLOW_WITH'] === 'flag' ? 'flag' : 'setting',
            sandbox: config.CHROMIUM_SANDBOX,
            settings: {
              navigationTimeoutMs: config.NAVIGATION_TIMEOUT_MS,
              settleCapMs: config.SETTLE_CAP_MS,
              creativeDeadlineMs: config.CREATIVE_DEADLINE_MS,
            },
            log,
          }),
      });
      // Exit explicitly, because a browser may keep connections open.
      process.exit(code);
    });
}
