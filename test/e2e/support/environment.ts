/** The environment that `make e2e` sets: a cluster, an image that it can run, and an S3 server that pods and this machine reach. */

export interface S3 {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

function wanted(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '')
    throw new Error(`${name} is not set. \`make e2e\` sets it; CONTRIBUTING.md says what it is on a cluster of yours.`);
  return value;
}

export const kubeconfig = (): string => wanted('KUBECONFIG');

/** `repository:tag` */
export const image = (): { repository: string; tag: string } => {
  const [, repository = '', tag = ''] = /^(.+):([^:/]+)$/.exec(wanted('IMAGE')) ?? [];
  if (repository === '') throw new Error(`IMAGE is ${process.env['IMAGE']}: it must be repository:tag.`);
  return { repository, tag };
};

export const s3 = (): S3 => ({
  endpoint: wanted('S3_ENDPOINT'),
  accessKeyId: wanted('AWS_ACCESS_KEY_ID'),
  secretAccessKey: wanted('AWS_SECRET_ACCESS_KEY'),
  region: process.env['AWS_REGION'] ?? 'us-east-1',
});

/** Whether test/cluster started the cluster, so that a test may kill its components. */
export const isOwnCluster = (): boolean => process.env['E2E_OWN_CLUSTER'] === 'true';

/** The tag of the version before this one, in the same repository; undefined if the cluster does not have its image. */
export const previousTag = (): string | undefined => process.env['IMAGE_PREVIOUS_TAG'];

/** The address of this machine that pods reach. The tests' own servers listen there. */
export const host = (): string => wanted('E2E_HOST');
