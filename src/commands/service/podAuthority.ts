/** Authenticates captures by the tokens of their pods with a TokenReview, which is the API's only right in the cluster. */

import { readFileSync } from 'node:fs';
import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import { type PodTokenOptions, podTokenAuthenticator } from '../../api/auth/podTokens.ts';
import { connect } from '../../cluster/kubernetes/client/connection.ts';
import { type Config, ConfigError } from '../../config.ts';
import { CAPTURE_TOKEN_AUDIENCE } from '../../contract/captureProfile.ts';
import { findJobAccess } from '../../core/jobs/jobAccess.ts';
import type { ServiceContext } from './serviceContext.ts';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

export interface PodAuthority {
  readonly authenticator: CaptureAuthenticator;
  close(): Promise<void>;
}

/** A capture waits for the review and retries if it is late. */
const REVIEW_TIMEOUT_MS = 5_000;

/**
 * @param kubeconfig a path; by default the service account of the pod is used.
 * @throws ConfigError if a setting or the address of the Kubernetes API is missing.
 */
export async function connectPodAuthority(
  { config, store, log }: Pick<ServiceContext, 'config' | 'store'> & Pick<PodTokenOptions, 'log'>,
  kubeconfig?: string,
): Promise<PodAuthority> {
  const { CAPTURE_SERVICE_ACCOUNT: serviceAccount } = config;
  const audience = CAPTURE_TOKEN_AUDIENCE;
  if (serviceAccount === undefined)
    throw new ConfigError('CAPTURE_SERVICE_ACCOUNT is not set. Set it to the service account of capture pods.');
  const namespace = captureNamespace(config);
  const connection = await connect({ kubeconfig });
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
  const authenticator = podTokenAuthenticator({
    namespace,
    serviceAccount,
    audience,
    log,
    review: (token) =>
      connection.apis.authentication.createTokenReview(
        { body: { ...kind, spec: { token, audiences: [audience] } } },
        connection.options({ deadlineMs: REVIEW_TIMEOUT_MS }),
      ),
    findAccess: (jobId) => findJobAccess(store.db, jobId),
  });
  return { authenticator, close: () => connection.close() };
}

/** @returns the namespace of captures. @throws ConfigError */
export function captureNamespace({ NAMESPACE }: Config): string {
  if (NAMESPACE !== undefined) return NAMESPACE;
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch {
    throw new ConfigError(
      `NAMESPACE is not set, and ${NAMESPACE_FILE} cannot be read. Set NAMESPACE outside of a pod.`,
    );
  }
}
