/** Captures are told by the tokens of their pods, about which the API server is asked: the one right that the api has in a cluster. */
import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import { type PodTokenOptions, podTokenAuthenticator } from '../../api/auth/podTokens.ts';
import { createApiServer } from '../../cluster/kubernetes/client/apiServer.ts';
import { loadCredentials } from '../../cluster/kubernetes/client/credentials.ts';
import { createResourceClients } from '../../cluster/kubernetes/client/resourceClients.ts';
import { ConfigError } from '../../config.ts';
import { findJobName } from '../../store/jobs/jobs.ts';
import { namespaceOf } from './namespace.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface PodAuthority {
  readonly authenticator: CaptureAuthenticator;
  close(): Promise<void>;
}

/** A capture waits for it, and tries again. */
const REVIEW_MS = 5_000;

/** @param kubeconfig path; without it the service account of the pod. @throws ConfigError, and where no API server is named */
export async function connectPodAuthority(
  { config, store, log }: Pick<ServiceContext, 'config' | 'store'> & Pick<PodTokenOptions, 'log'>,
  kubeconfig?: string,
): Promise<PodAuthority> {
  const { CAPTURE_SERVICE_ACCOUNT: serviceAccount, CAPTURE_TOKEN_AUDIENCE: audience } = config;
  if (serviceAccount === undefined)
    throw new ConfigError('CAPTURE_SERVICE_ACCOUNT is not set: the account by whose tokens captures are told.');
  const namespace = namespaceOf(config);
  const api = createApiServer({ credentials: await loadCredentials(kubeconfig) });
  const { tokenReviews } = createResourceClients(api, namespace);
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
  const authenticator = podTokenAuthenticator({
    namespace,
    serviceAccount,
    audience,
    log,
    review: (token) =>
      tokenReviews.create({ ...kind, spec: { token, audiences: [audience] } }, { deadlineMs: REVIEW_MS }),
    jobName: (jobId) => findJobName(store.db, jobId),
  });
  return { authenticator, close: () => api.close() };
}
