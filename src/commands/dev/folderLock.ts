import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Locks a data folder until this process exits. The lock is an abstract socket, which the kernel frees even after a crash.
 * On systems other than Linux there is only PostgreSQL's own lock.
 * @throws Error if another process holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined;
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? inUse(folder) : error));
    server.listen(`\0tearsheet-${id}`, resolve);
  });
  server.unref();
  return () => server.close();
}

function inUse(folder: string): Error {
  return new Error(`Another tearsheet dev uses ${folder}. Stop it, or use another folder with --data DIR.`);
}
