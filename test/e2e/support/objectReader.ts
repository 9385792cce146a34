/** Reads Kubernetes objects over HTTP, because tests poll and a kubectl process for each read would be slow. */
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';

const GROUPS = {
  ...{ pods: 'api/v1', services: 'api/v1', configmaps: 'api/v1', secrets: 'api/v1', persistentvolumeclaims: 'api/v1' },
  ...{ deployments: 'apis/apps/v1', statefulsets: 'apis/apps/v1', jobs: 'apis/batch/v1' },
  ...{ leases: 'apis/coordination.k8s.io/v1', roles: 'apis/rbac.authorization.k8s.io/v1' },
  ...{ networkpolicies: 'apis/networking.k8s.io/v1', screenshotjobs: 'apis/tearsheet.dev/v1alpha1' },
} as const;
export type Kind = keyof typeof GROUPS;

export class ObjectReader {
  readonly #config: KubeConfig;
  readonly #namespace: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(config: KubeConfig, namespace: string) {
    this.#config = config;
    this.#namespace = namespace;
  }

  async list<T>(kind: Kind, selector = ''): Promise<T[]> {
    const route = `/${GROUPS[kind]}/namespaces/${this.#namespace}/${kind}?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = JSON.parse(await this.#get(route)) as { items: T[] };
    return items;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #get(route: string): Promise<string> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    const url = new URL(route, this.#config.getCurrentCluster()?.server);
    return new Promise((resolve, reject) => {
      const asked = request(url, { ...options, agent: this.#agentOf(options), timeout: 60_000 }, (response) => {
        text(response).then((body) => {
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${route} answered ${response.statusCode}: ${body.slice(0, 500)}`));
        }, reject);
      });
      asked.on('timeout', () => asked.destroy(new Error(`${route} was not answered`)));
      asked.on('error', reject);
      asked.end();
    });
  }

  /** The credentials belong to the kept connection. */
  #agentOf({ ca, cert, key }: RequestOptions): Agent {
    Object.assign(this.#agent.options, { ca, cert, key });
    return this.#agent;
  }
}
