/** Sends deliveries until it is killed. Run as: node deliverySender.ts <URL of the database> [<URL of a mail server>]. */
import { FolderArtifactStore } from '../../src/artifacts/folder.ts';
import { startDeliveries } from '../../src/commands/service/startDeliveries.ts';
import { openStore } from '../../src/db/database.ts';
import { startQueue } from '../../src/db/queue.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { createMailer } from '../../src/mail/mailer.ts';
import { TEST_KEY_RING } from './testKeys.ts';
import { TEST_LOG } from './testLog.ts';

const [, , databaseUrl = '', mailUrl] = process.argv;
const notices = mailUrl !== undefined && {
  mailer: createMailer({ url: mailUrl, from: 'tearsheet@shots.example' }),
  publicUrl: 'https://shots.example/app',
  secret: Buffer.alloc(32, 7),
};
await startDeliveries({
  store: openStore({ url: databaseUrl, keyRing: TEST_KEY_RING }),
  queue: await startQueue({ databaseUrl, onError: () => undefined }),
  log: TEST_LOG,
  artifacts: new FolderArtifactStore('/nonexistent'),
  guard: createGuard({ allow: ['127.0.0.0/8'] }),
  ...(notices && { notices }),
});
