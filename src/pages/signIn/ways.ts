/** The ways in which a person signs in without a key. */
import { EMAIL_MAX } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, linkButton } from '../parts/components.ts';
import type { PagesOptions } from '../parts/context.ts';
import { textField } from '../parts/formFields.ts';
import type { PagePaths } from '../parts/paths.ts';
import { addressOf } from '../parts/paths.ts';

/** Which ways this installation has. Without any, people sign in with a key only. */
export interface Ways {
  readonly provider: boolean;
  readonly mail: boolean;
}

export const waysOf = ({ provider, mailer }: Pick<PagesOptions, 'provider' | 'mailer'>): Ways => ({
  provider: provider !== undefined,
  mail: mailer !== undefined,
});

export const hasWays = ({ provider, mail }: Ways): boolean => provider || mail;

interface WaysGiven {
  /** The page to open afterwards; '' for the first one. */
  readonly next: string;
  /** The address as the person typed it, and its fault. */
  readonly email?: string;
  readonly fault?: string | undefined;
}

/** The button of the provider, and the form that asks for a link. */
export function signInWays({ base }: PagePaths, ways: Ways, { next, email = '', fault }: WaysGiven): Html {
  const field = {
    name: 'email',
    label: 'E-mail',
    type: 'email',
    isRequired: true,
    max: EMAIL_MAX,
    autocomplete: 'email',
  } as const;
  const form = { values: { email }, errors: fault === undefined ? {} : { email: [fault] } };
  const provider = addressOf(`${base}/sign-in/provider`, { next });
  const link = linkButton({ href: provider, label: 'Sign in with your company account', kind: 'primary' });
  return html`${ways.provider && html`<p>${link}</p>`}
${
  ways.mail &&
  html`<form method="post" action="${base}/sign-in/email"><input type="hidden" name="next" value="${next}">
${textField(field, form)}${button({ label: 'Send me a link', ...(!ways.provider && { kind: 'primary' as const }) })}</form>`
}`;
}
