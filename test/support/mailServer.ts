/** A real SMTP server in this process, which keeps the mails that it accepts. */
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';
import { required } from './required.ts';

export interface MailServer {
  /** `smtp://127.0.0.1:port`, without TLS and passwords. */
  readonly url: string;
  readonly mails: ParsedMail[];
  /** Waits for a mail to this address that came after so many others. */
  mailTo(address: string, after?: number): Promise<ParsedMail>;
  close(): Promise<void>;
}

/** @param accepts whether the server accepts a mail to this address; all unless given. */
export async function startMailServer({
  accepts = () => true,
}: {
  accepts?: (to: string) => boolean;
} = {}): Promise<MailServer> {
  const mails: ParsedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(accepts(address) ? undefined : new Error('no such mailbox')),
    onData: (stream, _session, done) => {
      simpleParser(stream).then((mail) => {
        mails.push(mail);
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port.');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    mailTo: (to, after = 0) =>
      eventually(() => {
        const found = mails.filter((mail) => recipientsOf(mail).includes(to))[after];
        return required(found);
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function recipientsOf({ to = [] }: ParsedMail): string[] {
  const all: AddressObject[] = Array.isArray(to) ? to : [to];
  return all.flatMap(({ value }) => value.map(({ address = '' }) => address));
}

/** @returns the path of the one link in the text of a mail. */
export function linkOf({ text = '' }: ParsedMail): string {
  return new URL(required(/https?:\/\/\S+/.exec(text)?.[0])).pathname;
}
