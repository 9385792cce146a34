/** The bodies of the requests of a run: small ads of several kinds on small pages. */
import type { Publishers } from '../../fixtures/publisherServer.ts';
import type { Random } from '../random.ts';

export interface BodyContext {
  readonly random: Random;
  readonly publishers: Publishers;
  /** The page on which ads are placed. */
  readonly pageUrl: string;
  readonly webhookUrl: string;
  /** Undefined without an S3 server. */
  readonly bucket: string | undefined;
}

const TOPICS = [
  'ad.uploaded',
  'ad.failed',
  'screenshot_set.approved',
  'screenshot_set.failed',
  'screenshot_set.progress',
];
const DEVICES = ['desktop', 'iphone'];

function subscribers({ random, webhookUrl, bucket }: BodyContext): object[] {
  const webhook = { webhook: { url: webhookUrl, topics: TOPICS } };
  if (bucket === undefined || random.next() < 0.7) return [webhook];
  return [{ ...webhook, s3: { bucket, key_prefix: 'pictures/' } }];
}

function media({ random, publishers: { cdn } }: BodyContext): object {
  const jpeg = `${cdn}/media/marlow.jpg`;
  const tag = `<img src="${jpeg}" width="300" height="250" alt="">`;
  return random.pick([
    { type: 'html_tag', content: tag },
    { type: 'html_tag', content: `${tag}<script>document.title = 'ad';</script>` },
    { type: 'url', content: jpeg },
    { type: 'html_tag', content: `${tag}<p style="position:absolute;top:0">Now</p>` },
  ]);
}

/** The campaign has the name of the key, so that the rows of a request can be found without its answer. */
export function adBody(context: BodyContext, key: string, upload?: string): object {
  const content = upload === undefined ? media(context) : { type: 'upload', content: upload };
  return {
    campaign: { name: key },
    ad: { lookup_key: 'alone', name: 'An ad alone', media: content },
    subscribers: subscribers(context),
  };
}

export function requestBody(context: BodyContext, key: string): { body: object; screenshots: number } {
  const { random, pageUrl } = context;
  const ads = random.between(1, 2);
  const sites = random.between(1, 2);
  const screenshots = Array.from({ length: sites }, (_, index) => ({
    site: { url: `${pageUrl}?page=${index}` },
    device: { name: random.pick(DEVICES) },
  }));
  const screenshot_requests = Array.from({ length: ads }, (_, index) => ({
    ad: { lookup_key: `ad-${index}`, name: `Ad ${index}`, media: media(context) },
    screenshots,
  }));
  const body = { campaign: { name: key }, screenshot_requests, subscribers: subscribers(context) };
  return { body, screenshots: ads * sites };
}

/** The file of an upload; each has other bytes, because equal ones share a row. */
export function uploadFile({ publishers }: BodyContext, key: string): Buffer {
  const picture = `${publishers.cdn}/media/marlow.jpg`;
  return Buffer.from(
    `<!doctype html><title>${key}</title><style>body{margin:0}</style><img src="${picture}" width="300" height="250">`,
  );
}
