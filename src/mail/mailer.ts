/** Sends mails by any SMTP server. */
import { createTransport } from 'nodemailer';
import { withDeadline } from '../lib/deadline.ts';
import { errorMessage } from '../lib/errorMessage.ts';

const CONNECT_MS = 10_000;
const SEND_MS = 30_000;

export interface MailPicture {
  readonly cid: string;
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** The complete text, for programs that show no HTML. */
  readonly text: string;
  readonly html?: string;
  /** Pictures that the HTML shows by `cid:`. */
  readonly attachments?: readonly MailPicture[];
  /** Further headers, for example `List-Unsubscribe`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /** @throws Error if the server did not accept the mail within 30 s. It may have accepted it nevertheless. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in, and sends nothing. @throws Error if the server does not answer, or refuses the password. */
  verify(): Promise<void>;
}

interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: string;
  /** The sender, `Name <address>` or an address. */
  readonly from: string;
  /** How long to wait for a connection and for the server's greeting; 10 s unless given. */
  readonly connectMs?: number;
}

export function createMailer({ url, from, connectMs = CONNECT_MS }: MailerOptions): Mailer {
  const { host, username, protocol } = new URL(url);
  const transport = createTransport(
    {
      url,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      dnsTimeout: connectMs,
      socketTimeout: SEND_MS,
      // An attacker on the way could remove the offer of TLS. A password then stays here.
      requireTLS: username !== '' && protocol === 'smtp:',
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return {
    async verify() {
      await withDeadline(SEND_MS, transport.verify());
    },
    async send({ to, headers = {}, attachments = [], ...mail }) {
      const inline = attachments.map((picture) => ({ ...picture, contentDisposition: 'inline' as const }));
      try {
        // As an object, so that one text is never read as several addresses.
        await withDeadline(
          SEND_MS,
          transport.sendMail({ ...mail, headers, attachments: inline, to: { name: '', address: to } }),
        );
      } catch (error) {
        throw new Error(`The mail server ${host} did not accept a mail: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}
