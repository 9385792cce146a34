import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { setConnector } from '../core/buckets/connectors.ts';
import { withStore } from './withStore.ts';

interface ConnectorFlags {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey?: string;
  readonly endpoint?: string;
  readonly forcePathStyle?: boolean;
}

export function connectorCommand(program: Command): void {
  const connector = program.command('connector').description('manage the S3 connector of an organization: set-s3');
  connector
    .command('set-s3 <slug>')
    .description('set or replace the S3 account for deliveries to the buckets of an organization')
    .requiredOption('--region <region>', 'the region of buckets for which the subscriber names no region')
    .requiredOption('--access-key-id <id>', 'the id of the access key')
    .option('--secret-access-key <secret>', 'the secret; prefer the environment variable AWS_SECRET_ACCESS_KEY')
    .option('--endpoint <url>', 'the URL of an S3 server other than AWS')
    .option('--force-path-style', 'put the bucket into the path, as MinIO requires')
    .action((slug: string, { secretAccessKey, ...options }: ConnectorFlags) => {
      const secret = secretAccessKey ?? process.env['AWS_SECRET_ACCESS_KEY'];
      if (secret === undefined || secret === '') {
        throw new ConfigError(
          'The secret access key is missing. Set AWS_SECRET_ACCESS_KEY or pass --secret-access-key.',
        );
      }
      return withStore((db) => setConnector(db, slug, { ...options, secretAccessKey: secret }));
    });
}
