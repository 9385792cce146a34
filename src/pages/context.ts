import type { OneTimeSignIns } from '../api/auth/oneTimeSignIns.ts';
import type { KeyChecker } from '../api/limits/keyChecker.ts';
import type { OpenLimits } from '../api/limits/openLimits.ts';
import type { RequestLimits } from '../api/limits/requestLimits.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import type { EventContext } from '../core/webhooks/eventContext.ts';
import type { Store } from '../db/database.ts';
import type { Change } from '../db/notifications.ts';
import type { Limits } from '../domain/limits.ts';
import type { DefaultQuotas } from '../domain/quotas.ts';
import type { RetentionLimits } from '../domain/retention.ts';
import type { UploadLimits } from '../domain/uploads.ts';
import type { Guard } from '../egress/guard.ts';
import type { Html, HtmlContent } from '../lib/html.ts';
import type { Log } from '../lib/log.ts';
import type { AssetName } from './assets.ts';

export interface PagesOptions extends EventContext {
  readonly store: Store;
  readonly artifacts: ArtifactStore;
  readonly uploadLimits: UploadLimits;
  /** The quotas of organizations without own ones. */
  readonly quotas?: DefaultQuotas | undefined;
  /** The operator’s choice of how long objects are kept; the defaults unless given. */
  readonly retention?: RetentionLimits;
  /** The installation's secret; it signs sessions, forms and share links. */
  readonly secret: Buffer;
  readonly log: Log;
  /** The limits of a request, for forms that make one. */
  readonly limits: Limits;
  /** Calls the handler for each change, for live progress. @returns a function that ends the subscription. */
  readonly subscribe: (handler: (change: Change) => void) => () => void;
  /** Origins of a bucket to which `/i/…` redirects; the browser must be allowed to load pictures from them. */
  readonly pictureOrigins?: readonly string[];
  /** Links that sign in once; without them, a person needs an API key. */
  readonly signIns?: OneTimeSignIns | undefined;
  /** Limits the requests of each key; without it, nothing does. */
  readonly requestLimits?: RequestLimits | undefined;
  /** Limits requests without a key; without it, nothing does. */
  readonly openLimits?: OpenLimits | undefined;
  /** Looks up keys. Without it, wrong keys are not limited. */
  readonly keyChecker?: KeyChecker | undefined;
  /** ARN of the service's own AWS identity. Without it, connectors cannot name a role. */
  readonly awsPrincipal?: string | undefined;
  /** Checks the addresses of connectors and test events. Without it, they must be public. */
  readonly guard?: Pick<Guard, 'resolve'>;
  /** The addresses from which the service connects to others, as the operator named them. */
  readonly sendingAddresses?: readonly string[];
  /** How to reach the operator, as plain text for the upgrade page. */
  readonly contact?: string;
  /** Maximum number of open live connections of this process; 500 unless given. */
  readonly maxLive?: number;
  /** Maximum number of open live connections of one organization; 100 unless given. */
  readonly maxLiveOfOrganization?: number;
  /** Maximum number of open live connections of one address, or of one IPv6 network; 100 unless given. */
  readonly maxLiveOfNetwork?: number;
}

/** The person who opens a page of an organization, and the permissions of that person. */
export interface Viewer {
  readonly organizationId: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly scopes: readonly string[];
  /** May approve, reject, cancel, replay and share. */
  readonly canWrite: boolean;
  /** Id of the API key that the viewer signed in with. */
  readonly keyId: string;
  /** The token for forms; '' if the request carries the API key itself. */
  readonly formToken: string;
}

/** The name of a part of the pages; a page names the one that it belongs to. */
export type SectionName = 'campaigns' | 'sets' | 'ads' | 'new' | 'deliveries' | 'settings';

/** One page without the layout that all pages share. */
export interface ResultsPage {
  readonly title: string;
  readonly body: HtmlContent;
  /** 200 unless given. */
  readonly status?: number | undefined;
  /** The part of the pages that this page belongs to. */
  readonly section?: SectionName;
  /** Style sheets beside pages.css, and scripts. */
  readonly assets?: readonly AssetName[];
  /** Path of the stream of live changes to this page. */
  readonly events?: string | undefined;
  /** Replaces the name of the service at the top: an image or a name. */
  readonly brand?: Html | undefined;
  /** Replaces the name of the service in the title. */
  readonly brandName?: string | undefined;
  /** Path of a style sheet that belongs to the organization. */
  readonly brandStyle?: string | undefined;
  /** Whether people without a key see it. Its address may be a secret, so the browser never sends it to any server. */
  readonly isShared?: boolean;
}
