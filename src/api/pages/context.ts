import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/database/database.ts';
import type { Change } from '../../store/database/notifications.ts';
import type { EventContext } from '../../workflow/eventContext.ts';
import type { HtmlContent } from './html.ts';

export interface PagesOptions extends EventContext {
  readonly store: Store;
  /** The installation's secret; it signs sessions, forms and share links. */
  readonly secret: Buffer;
  readonly log: Log;
  /** Calls the handler for each change, for live progress. @returns a function that ends the subscription. */
  readonly subscribe: (handler: (change: Change) => void) => () => void;
  /** Origins of a bucket to which `/i/…` redirects; the browser must be allowed to load pictures from them. */
  readonly pictureOrigins?: readonly string[];
  /** How to reach the operator, as plain text for the upgrade page. */
  readonly contact?: string;
  /** Maximum number of open live connections of this process; 500 unless given. */
  readonly maxLive?: number;
  /** Maximum number of open live connections of one organization; 100 unless given. */
  readonly maxLiveOfOrganization?: number;
}

/** The person who opens a page of an organization, and the permissions of that person. */
export interface Viewer {
  readonly organizationId: string;
  readonly slug: string;
  readonly disabled: boolean;
  /** May approve, reject, cancel, replay and share. */
  readonly canWrite: boolean;
  /** The only set that a share link opens, without its deliveries. */
  readonly sharedSet?: string;
  /** The token for forms; '' if the request carries the API key itself. */
  readonly formToken: string;
}

/** One page without the layout that all pages share. */
export interface ResultsPage {
  readonly title: string;
  readonly body: HtmlContent;
  /** 200 unless given. */
  readonly status?: number;
  /** Path of the stream of live changes to this page. */
  readonly events?: string;
}
