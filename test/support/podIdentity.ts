/** The environment of a pod whose service account is an AWS role (IRSA), for code that reads it through the AWS SDK. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';

/** The token of the pod, which the stand-in of STS compares. */
export const POD_TOKEN = 'pod-token';

/** @param principal ARN of the service's own role. @returns a function that restores the environment. */
export async function stubPodIdentity(principal: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-roles-'));
  const tokenFile = path.join(folder, 'token');
  await writeFile(tokenFile, POD_TOKEN);
  for (const [name, value] of Object.entries({
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: principal,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SHARED_CREDENTIALS_FILE: path.join(folder, 'none'),
    AWS_CONFIG_FILE: path.join(folder, 'none'),
    // The keys of another S3 server, which AWS does not know.
    AWS_ACCESS_KEY_ID: 'minio',
    AWS_SECRET_ACCESS_KEY: 'minio',
  }))
    vi.stubEnv(name, value);
  return async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  };
}
