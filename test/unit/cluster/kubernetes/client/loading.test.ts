import { expect, test } from 'vitest';
import { packageLoads } from '../../../../support/packageLoads.ts';

const LIBRARY = '@kubernetes/client-node';

test('a process loads the client library, which takes 80 MiB, only when it connects to a cluster', async () => {
  const services = "await import('./commands/apiCommand.ts'); await import('./commands/controllerCommand.ts');";
  expect(await packageLoads(LIBRARY, services)).toBe(0);
  const connect = "const { connect } = await import('./cluster/kubernetes/client/connection.ts'); await connect({});";
  expect(await packageLoads(LIBRARY, connect)).toBe(1);
}, 30_000);
