/** An SMTP server that keeps the mails it accepts, with their text, and that refuses some on demand. */
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
  readonly parsed: ParsedMail;
  /** The connection was encrypted, and this user had signed in. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The answer to a recipient or to the content, if it is not accepted. */
  refuse: (address: string) => { at: 'recipient' | 'content'; code: number; text: string } | undefined;
  /** Waits before it answers that it took a mail. */
  accepted: () => Promise<void> | undefined;
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const fault = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });
  async function receive(stream: SMTPServerDataStream, { envelope, secure, user }: SMTPServerSession): Promise<void> {
    const raw = await text(stream);
    const to = envelope.rcptTo.map(({ address }) => address);
    const refusal = mailServer.refuse(to[0] ?? '');
    if (refusal?.at === 'content') throw fault(refusal.code, refusal.text);
    const by = typeof user === 'string' ? user : undefined;
    mailServer.mails.push({ to, raw, parsed: await simpleParser(raw), secure, user: by });
    await mailServer.accepted();
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.onAuth === undefined ? ['STARTTLS', 'AUTH'] : [],
    onRcptTo: ({ address }, _session, done) => {
      const refusal = mailServer.refuse(address);
      done(refusal?.at === 'recipient' ? fault(refusal.code, refusal.text) : null);
    },
    onData: (stream, session, done) => void receive(stream, session).then(() => done(), done),
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    ...{ port, mails: [] },
    refuse: () => undefined,
    accepted: () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
