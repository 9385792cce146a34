import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Holds a data folder for this process until it ends, however it ends: an abstract socket, which the kernel frees. Linux only;
 * elsewhere PostgreSQL's own lock has to do.
 * @throws Error when another process holds it.
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
  return new Error(
    `Another tearsheet dev runs on ${folder}: end it, or give this one a folder of its own with --data DIR.`,
  );
}
