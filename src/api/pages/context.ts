import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/database/database.ts';
import type { Change } from '../../store/database/notifications.ts';
import type { EventContext } from '../../workflow/eventContext.ts';
import type { HtmlContent } from './html.ts';

export interface PagesOptions extends EventContext {
  readonly store: Store;
  /** The installation's; signs sessions, forms and share links. */
  readonly secret: Buffer;
  readonly log: Log;
  /** Tells of changes for live progress. @returns what ends it. */
  readonly subscribe: (handler: (change: Change) => void) => () => void;
  /** Origins that `/i/…` redirects to (a bucket's), which the browser has to be allowed to load pictures from. */
  readonly pictureOrigins?: readonly string[];
  /** How to reach the operator, for the page that says how to upgrade; plain text. */
  readonly contact?: string;
  /** Open live connections of this process at most; 500 unless given. */
  readonly maxLive?: number;
  /** How many of these one organization may have; 100 unless given. */
  readonly maxLiveOfOrganization?: number;
}

/** Who looks at a page of an organization, and what they may do there. */
export interface Viewer {
  readonly organizationId: string;
  readonly slug: string;
  readonly disabled: boolean;
  /** May approve, reject, cancel, replay, share. */
  readonly canWrite: boolean;
  /** Only this set, by a share link; nothing of deliveries. */
  readonly sharedSet?: string;
  /** For forms; '' for who sends the key itself with each request. */
  readonly formToken: string;
}

/** Paths under the address that the service is reached at, which may have a path of its own. */
export interface PagePaths {
  /** '' or `/prefix`. */
  readonly base: string;
  readonly organization: string;
  set(id: string): string;
  ad(id: string): string;
  image(token: string): string;
  asset(name: 'pages.css' | 'live.js' | 'icon.svg'): string;
}

/** One page, ready to be put into the frame that all have in common. */
export interface ResultsPage {
  readonly title: string;
  readonly body: HtmlContent;
  /** 200 unless given. */
  readonly status?: number;
  /** Where live changes of it are told. */
  readonly events?: string;
}
