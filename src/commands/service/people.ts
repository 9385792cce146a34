/** Signing in and mails, from the settings. An installation without them does not load their libraries. */
import type { Provider } from '../../api/auth/provider.ts';
import { type Config, ConfigError } from '../../config.ts';
import type { Mailer } from '../../mail/mailer.ts';

/** @returns undefined without a mail server. @throws ConfigError without a sender. */
export async function mailerOf({
  SMTP_URL: url,
  MAIL_FROM: from,
}: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Promise<Mailer | undefined> {
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigError('MAIL_FROM is not set, and SMTP_URL needs it: the sender of mails.');
  const { createMailer } = await import('../../mail/mailer.ts');
  return createMailer({ url, from });
}

/** @returns undefined without an issuer. @throws ConfigError without a client. */
export async function providerOf(config: Config, publicUrl: string): Promise<Provider | undefined> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined) return undefined;
  if (clientId === undefined || clientSecret === undefined)
    throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, and one of them is not set.');
  const { createProvider } = await import('../../api/auth/provider.ts');
  return createProvider({
    issuer,
    clientId,
    clientSecret,
    scopes: config.OIDC_SCOPES,
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    tenants: config.OIDC_TENANTS,
    redirectUrl: `${publicUrl}/sign-in/callback`,
  });
}
