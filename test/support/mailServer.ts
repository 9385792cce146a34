/** A real SMTP server in this process. It keeps the mails that it accepts, and refuses some on demand. */
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { eventually } from './eventually.ts';
import { required } from './required.ts';

interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
  readonly parsed: ParsedMail;
  /** The connection was encrypted, and this user had signed in. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface MailServer {
  /** `smtp://127.0.0.1:port`. */
  readonly url: string;
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The answer to a recipient, if it is not accepted. */
  refuse: (address: string) => { code: number; text: string } | undefined;
  /** Waits before it answers that it took a mail. */
  accepted: () => Promise<void> | undefined;
  /** Waits for a mail to this address that came after so many others. */
  mailTo(address: string, after?: number): Promise<ParsedMail>;
  close(): Promise<void>;
}

/** @param options of the server; without TLS and passwords unless it has `onAuth`. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  async function receive(stream: SMTPServerDataStream, { envelope, secure, user }: SMTPServerSession): Promise<void> {
    const raw = await text(stream);
    const to = envelope.rcptTo.map(({ address }) => address);
    const by = typeof user === 'string' ? user : undefined;
    mailServer.mails.push({ to, raw, parsed: await simpleParser(raw), secure, user: by });
    await mailServer.accepted();
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.onAuth === undefined ? ['STARTTLS', 'AUTH'] : [],
    onRcptTo: ({ address }, _session, done) => {
      const refusal = mailServer.refuse(address);
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData: (stream, session, done) => void receive(stream, session).then(() => done(), done),
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    ...{ url: `smtp://127.0.0.1:${port}`, port, mails: [] },
    refuse: () => undefined,
    accepted: () => undefined,
    mailTo: (address, after = 0) =>
      eventually(() => required(mailServer.mails.filter(({ to }) => to.includes(address))[after]).parsed),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}

/** @returns the path of the one link in the text of a mail. */
export function linkOf({ text: body = '' }: ParsedMail): string {
  return new URL(required(/https?:\/\/\S+/.exec(body)?.[0])).pathname;
}
