import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

/**
 * An S3 server in this process, for machines with neither Docker nor Go. It speaks the protocol (put, get, multipart, presigned
 * PUT) and ignores some conditions, which no test here relies on.
 */
export async function startS3InProcess() {
  const directory = await mkdtemp(path.join(tmpdir(), 'tearsheet-s3-'));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
