import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { createLogger } from '../observe/logger.ts';
import { useTracer } from '../observe/tracing.ts';

/** Kubernetes shows this file, which only pods have, in the status of the pod. */
const TERMINATION_LOG = '/dev/termination-log';

export function captureCommand(program: Command): void {
  program
    .command('capture')
    .description('run one index of a capture job; the controller starts it and sets its environment')
    .action(async () => {
      const { findChromium } = await import('../capture/browser/chromium.ts');
      const { startEngine } = await import('../capture/engine/engine.ts');
      const { createProcessorMeter } = await import('../capture/program/processorTime.ts');
      const { gatewayOf, runCapture } = await import('../capture/program/program.ts');
      const config = loadConfig(process.env);
      const log = createLogger({ level: config.LOG_LEVEL, name: 'capture' });
      const env = { ...process.env };
      // The API exports its spans, because a program that opens untrusted pages must not reach the collector.
      if (env['TRACEPARENT'] !== undefined)
        useTracer((await import('../observe/spanRecorder.ts')).createSpanRecorder());
      // Browsers open untrusted pages and inherit the environment, so they must not get the token.
      delete process.env['TEARSHEET_TOKEN'];
      delete process.env['TEARSHEET_TOKEN_FILE'];
      const onThisMachine = env['TEARSHEET_PARENT_STDIN'] === '1';
      const code = await runCapture({
        env,
        log,
        stdin: process.stdin,
        terminationLog: TERMINATION_LOG,
        // On one machine, a capture runs for each processor.
        ...(onThisMachine ? { creativesAtOnce: 1, pagesAtOnce: 2 } : { processor: createProcessorMeter() }),
        startEngine: () =>
          startEngine({
            chromiumPath: findChromium(config.CHROMIUM_PATH),
            allow: config.EGRESS_ALLOW,
            allowWith: env['TEARSHEET_ALLOW_WITH'] === 'flag' ? 'flag' : 'setting',
            sandbox: config.CHROMIUM_SANDBOX,
            settings: { navigationTimeoutMs: config.NAVIGATION_TIMEOUT_MS },
            connectorOf: gatewayOf(env),
            log,
          }),
      });
      // Exit explicitly, because a browser may keep connections open.
      process.exit(code);
    });
}
