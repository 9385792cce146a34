/**
 * Sends the stored deliveries as a controller does, with its log and its notifications. Run as: node service.ts <options as
 * JSON>; prints the figures when the results of all of them are stored. With `ready` it says when it sends, and does not end.
 */
import { destination } from 'pino';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import { startDeliveries } from '../../../src/delivery/deliveries.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { startQueue } from '../../../src/queue/queue.ts';
import { openStore } from '../../../src/store/database/database.ts';
import { openNotifications } from '../../../src/store/database/notifications.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { Meter, type MeterOptions } from './measured.ts';

interface ServiceOptions extends MeterOptions {
  readonly databaseUrl: string;
  readonly ready?: boolean;
}

const { databaseUrl, pids, ready, ...sizes }: ServiceOptions = JSON.parse(process.argv[2] ?? '');
const store = openStore({ url: databaseUrl, keyRing: TEST_KEY_RING });
const queue = await startQueue({ databaseUrl, onError: console.error });
const notifications = openNotifications(databaseUrl);
const meter = new Meter({ ...sizes, pids: { ...pids, sender: process.pid } });
const deliveries = await startDeliveries({
  ...{ store, queue, subscribe: notifications.subscribe, observe: { attempted: () => meter.count() } },
  log: createLogger({ level: 'info', name: 'bench', destination: destination({ dest: '/dev/null', sync: true }) }),
  // Webhooks need no pictures.
  artifacts: new FolderArtifactStore('/nonexistent'),
  guard: createGuard({ allow: ['127.0.0.0/8'] }),
});
if (ready) console.log('ready');
console.log(JSON.stringify(await meter.done));
await deliveries.stop(1_000);
await notifications.close();
await queue.stop({ timeoutMs: 1_000 });
await store.close();
