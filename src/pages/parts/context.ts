import type { Provider } from '../../api/auth/provider.ts';
import type { Services } from '../../api/public/services.ts';
import type { MembershipRule } from '../../core/people/identities.ts';
import type { Person } from '../../core/people/sessions.ts';
import type { CountSignIn } from '../../domain/signIns.ts';
import type { Language } from '../../domain/texts/languages.ts';
import type { Html, HtmlContent } from '../../lib/html.ts';
import type { AssetName } from '../assets.ts';
import type { LiveOptions } from './live.ts';

export interface PagesOptions extends Services, LiveOptions {
  /** Origins of a bucket to which `/i/…` redirects; the browser must be allowed to load pictures from them. */
  readonly pictureOrigins?: readonly string[];
  /** The OpenID Connect provider with which people sign in. */
  readonly provider?: Provider | undefined;
  /** Rules that give people of the provider their roles. */
  readonly membershipRules?: readonly MembershipRule[];
  readonly countSignIn?: CountSignIn;
  /** How to reach the operator, as plain text for the upgrade page. */
  readonly contact?: string;
}

/** The person who opens a page of an organization, and the permissions of that person. */
export interface Viewer {
  readonly organizationId: string;
  readonly slug: string;
  readonly disabled: boolean;
  /** Scopes, and `review`. */
  readonly scopes: readonly string[];
  /** May request, cancel, replay and share. */
  readonly canWrite: boolean;
  /** May approve, reject and comment. */
  readonly canReview: boolean;
  /** Id of the API key that the viewer signed in with. Null: as a person. */
  readonly keyId: string | null;
  /** The person, unless the viewer uses a key. */
  readonly person: Person | undefined;
  readonly userId: string | null;
  /** The name of the person or the key, which pages show; '' if the key has none. */
  readonly name: string;
  /** The token for forms; '' if the request carries the API key itself. */
  readonly formToken: string;
}

/** The name of a part of the pages; a page names the one that it belongs to. */
export type SectionName = 'campaigns' | 'ads' | 'new' | 'integrations' | 'settings';

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
  /** English unless given. */
  readonly language?: Language;
}
