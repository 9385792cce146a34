import type { Command } from 'commander';
import { setS3Connector } from '../store/organizations/connectors.ts';
import { withStore } from './withStore.ts';

interface S3Options {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey?: string;
  readonly endpoint?: string;
  readonly forcePathStyle?: boolean;
}

export function connectorCommand(program: Command): void {
  const connector = program.command('connector').description('access to the buckets of an organization: set-s3');
  connector
    .command('set-s3 <slug>')
    .description('set or replace the access with which pictures are put into its buckets')
    .requiredOption('--region <region>', 'where a subscriber names none')
    .requiredOption('--access-key-id <id>')
    .option('--secret-access-key <secret>', 'better given in the environment, as AWS_SECRET_ACCESS_KEY')
    .option('--endpoint <url>', 'an S3 server other than AWS')
    .option('--force-path-style', 'the server wants the bucket in the path')
    .action((slug: string, { secretAccessKey, ...options }: S3Options) => {
      const secret = secretAccessKey ?? process.env['AWS_SECRET_ACCESS_KEY'];
      if (secret === undefined || secret === '') {
        throw new Error('The secret access key is missing: set AWS_SECRET_ACCESS_KEY, or give --secret-access-key.');
      }
      return withStore((db) => setS3Connector(db, slug, { ...options, secretAccessKey: secret }));
    });
}
