#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { runProgram } from './commands/program.ts';

// Captures start often, so they read compiled code from the cache.
enableCompileCache();
void runProgram(process.argv.slice(2)).then((code) => {
  // Exit explicitly, because an open pool or timer would keep the failed process alive.
  if (code !== undefined) process.exit(code);
});
