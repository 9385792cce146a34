/** All that a client and the web are for these tests: publishers, creatives that can be held back, a webhook receiver. */
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { type Gates, startGates } from '../../support/gates.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { host } from './environment.ts';

export interface World {
  readonly publishers: Publishers;
  readonly gates: Gates;
  readonly receiver: Receiver;
  close(): Promise<void>;
}

/** @param secret of the organization whose webhooks are received. */
export async function startWorld(secret: () => string): Promise<World> {
  const address = host();
  const [publishers, gates, receiver] = await Promise.all([
    startPublishers({ host: address }),
    startGates(address),
    startReceiver(secret, address),
  ]);
  const close = async () => {
    await Promise.all([publishers.close(), gates.close(), receiver.close()]);
  };
  return { publishers, gates, receiver, close };
}

export interface Wanted {
  readonly campaign: string;
  /** Held back until the gate of this name is opened; not held back unless given. */
  readonly gate?: string;
  /** Each is an index of the Job. */
  readonly pages?: readonly ('news' | 'blog')[];
  /** Addresses of more pages. */
  readonly sites?: readonly string[];
  readonly devices?: readonly string[];
}

/** One picture ad on each of the pages, told to the receiver. */
export function requestOf(world: World, wanted: Wanted): object {
  const { campaign, gate, pages = ['blog'], sites = [], devices = ['desktop'] } = wanted;
  const picture = `${world.publishers.cdn}/media/marlow.jpg`;
  const content = gate === undefined ? picture : world.gates.through(gate, picture);
  const urls = [...pages.map((page) => world.publishers.urlByPath(page)), ...sites];
  const screenshots = urls.flatMap((url) => devices.map((name) => ({ site: { url }, device: { name } })));
  return {
    campaign: { name: campaign },
    screenshot_requests: [{ ad: { lookup_key: 'one', name: 'One', media: { type: 'url', content } }, screenshots }],
    subscribers: [
      { webhook: { url: world.receiver.url, topics: ['screenshot_set.approved', 'screenshot_set.failed'] } },
    ],
  };
}

export interface ScreenshotSet {
  readonly id: string;
  readonly status: string;
  readonly screenshots: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason?: string;
    readonly image_url: string | null;
  }[];
}
