/** The servers outside the cluster: publishers, creatives that a test can hold, and a webhook receiver. */
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { type RequestGate, startRequestGate } from '../../support/requestGate.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhookReceiver.ts';
import { host } from './environment.ts';

export interface ExternalServers {
  readonly publishers: Publishers;
  readonly requestGate: RequestGate;
  readonly receiver: WebhookReceiver;
  close(): Promise<void>;
}

/** @param secret the webhook secret of the organization. */
export async function startExternalServers(secret: () => string): Promise<ExternalServers> {
  const address = host();
  const [publishers, requestGate, receiver] = await Promise.all([
    startPublishers({ host: address }),
    startRequestGate(address),
    startWebhookReceiver(secret, address),
  ]);
  const close = async () => {
    await Promise.all([publishers.close(), requestGate.close(), receiver.close()]);
  };
  return { publishers, requestGate, receiver, close };
}

export interface ScreenshotRequestOptions {
  readonly campaign: string;
  /** The creative's request gate; undefined: no gate. */
  readonly gate?: string;
  /** Each page is one index of the Job. */
  readonly pages?: readonly ('news' | 'blog')[];
  /** Addresses of further pages. */
  readonly sites?: readonly string[];
  readonly devices?: readonly string[];
}

/** A request for one picture ad on each page, with the webhook receiver as subscriber. */
export function screenshotRequest(world: ExternalServers, wanted: ScreenshotRequestOptions): object {
  const { campaign, gate, pages = ['blog'], sites = [], devices = ['desktop'] } = wanted;
  const picture = `${world.publishers.cdn}/media/marlow.jpg`;
  const content = gate === undefined ? picture : world.requestGate.urlFor(gate, picture);
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
