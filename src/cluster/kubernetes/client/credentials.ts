/** Credentials for the API server. They are read again every minute because tokens and certificates are rotated. */
import type { Access, ReadIdentity } from './identity.ts';
import { kubeconfigIdentity } from './kubeconfigIdentity.ts';
import { isInPod, podIdentity } from './podIdentity.ts';

export interface Credentials {
  /** @param unauthorized the API server answered 401 to the last credentials, so they are read again at once. */
  get(unauthorized?: boolean): Promise<Access>;
  close(): Promise<void>;
}

/** client-go reads a rotated token at the same interval. */
const REFRESH_MS = 60_000;

/** @param file path of a kubeconfig. Without it: $KUBECONFIG, the service account of the pod, or ~/.kube/config. */
export async function loadCredentials(file?: string): Promise<Credentials> {
  return keepCredentials(isInPod(file) ? podIdentity() : await kubeconfigIdentity(file));
}

export function keepCredentials(read: ReadIdentity): Credentials {
  let current: (Access & { readonly readAt: number; readonly digest: string }) | undefined;
  let renewal: Promise<Access> | undefined;

  const renew = async (unauthorized: boolean) => {
    const { server, headers, digest, connect } = await read(unauthorized);
    const previous = current;
    const isSame = previous?.digest === digest;
    const dispatcher = isSame ? previous.dispatcher : await connect();
    current = { server, headers, dispatcher, digest, readAt: performance.now() };
    // `close` lets the requests on the old connections finish.
    if (previous !== undefined && !isSame) void previous.dispatcher.close();
    return current;
  };

  return {
    get(unauthorized = false) {
      const isFresh = current !== undefined && performance.now() - current.readAt < REFRESH_MS;
      if (current !== undefined && isFresh && !unauthorized) return Promise.resolve(current);
      renewal ??= renew(unauthorized).finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
    async close() {
      await current?.dispatcher.destroy();
    },
  };
}
