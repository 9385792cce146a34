/** The S3 server of a run, as a process that can be killed. Its data survives. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../../src/commands/dev/embeddedPostgres.ts';
import { eventually } from '../../support/eventually.ts';
import { buildS3Server } from '../../support/s3Server.ts';
import { type Relay, startRelay } from './relay.ts';
import { Supervised } from './supervised.ts';

export interface ChaosS3 {
  readonly process: Supervised;
  readonly relay: Relay;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The folder that holds a folder for each bucket. */
  readonly data: string;
  createBucket(name: string): Promise<void>;
}

/** @param host where the service reaches it. @returns undefined if Go cannot build the server. */
export async function startS3(root: string, host = '127.0.0.1'): Promise<ChaosS3 | undefined> {
  const binary = await buildS3Server();
  if (binary === undefined) return undefined;
  const [data, meta] = [path.join(root, 's3-data'), path.join(root, 's3-meta')];
  for (const folder of [data, meta]) mkdirSync(folder);
  const port = await freePort();
  const keys = { accessKeyId: 'tearsheet-chaos', secretAccessKey: randomBytes(16).toString('hex') };
  const process = new Supervised({
    name: 's3',
    command: [binary, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', meta, data],
    env: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
    logFile: path.join(root, 's3.log'),
  });
  process.start();
  const relay = await startRelay([port], { host });
  const endpoint = `http://${host}:${relay.port}`;
  const createBucket = async (name: string) => {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: keys });
    await eventually(() => client.send(new CreateBucketCommand({ Bucket: name })));
    client.destroy();
  };
  return { process, relay, endpoint, ...keys, data, createBucket };
}
