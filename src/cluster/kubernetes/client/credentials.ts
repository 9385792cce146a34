/** Who we are to the API server and how it is reached: read anew as tokens and certificates are rotated, on connections that are kept. */
import type { Access, ReadIdentity } from './identity.ts';
import { kubeconfigIdentity } from './kubeconfigIdentity.ts';
import { isInPod, podIdentity } from './podIdentity.ts';

export interface Credentials {
  /** @param refused the server took the last ones for wrong. */
  get(refused?: boolean): Promise<Access>;
  close(): Promise<void>;
}

/** As often as client-go reads a rotated token. */
const REFRESH_MS = 60_000;

/** @param file of a kubeconfig; undefined: $KUBECONFIG, the service account of the pod, or the user's own kubeconfig. */
export async function loadCredentials(file?: string): Promise<Credentials> {
  return keepCredentials(isInPod(file) ? podIdentity() : await kubeconfigIdentity(file));
}

export function keepCredentials(read: ReadIdentity): Credentials {
  let access: (Access & { readonly at: number; readonly digest: string }) | undefined;
  let renewing: Promise<Access> | undefined;

  const renew = async (anew: boolean) => {
    const { server, headers, digest, connect } = await read(anew);
    const before = access;
    const isSame = before?.digest === digest;
    const dispatcher = isSame ? before.dispatcher : await connect();
    access = { server, headers, dispatcher, digest, at: performance.now() };
    // What is under way on the old one ends in its own time.
    if (before !== undefined && !isSame) void before.dispatcher.close();
    return access;
  };

  return {
    get(refused = false) {
      if (access !== undefined && !refused && performance.now() - access.at < REFRESH_MS)
        return Promise.resolve(access);
      renewing ??= renew(refused).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    async close() {
      await access?.dispatcher.destroy();
    },
  };
}
