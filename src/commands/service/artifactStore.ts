import { openArtifacts } from '../../artifacts/open.ts';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Config } from '../../config.ts';

type S3Settings = Pick<Config, 'S3_REGION' | 'S3_FORCE_PATH_STYLE' | 'S3_ENDPOINT' | 'S3_PUBLIC_ENDPOINT'>;

/** Opens the artifact store of this address with the settings for S3. */
export function artifactStoreOf(url: string, config: S3Settings): ArtifactStore {
  return openArtifacts(url, {
    region: config.S3_REGION,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
  });
}
