/** The mailer, against a real SMTP server. */
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createMailer } from '../../../src/mail/mailer.ts';
import { startMailServer } from '../../support/mailServer.ts';

const MAIL = { to: 'ann@example.com', subject: 'Grüße, Ann', text: 'Hello\n', html: '<p>Hello</p>' };

test('a mail arrives with sender, subject, both texts and further headers', async () => {
  const server = await startMailServer();
  const mailer = createMailer({ url: server.url, from: 'Tearsheet <t@example.com>' });
  await mailer.send({ ...MAIL, headers: { 'List-Unsubscribe': '<https://t.example/u>' } });
  const mail = await server.mailTo('ann@example.com');
  expect([mail.subject, mail.text, mail.html]).toEqual(['Grüße, Ann', 'Hello\n', '<p>Hello</p>']);
  expect(mail.headers.get('list')).toMatchObject({ unsubscribe: { url: 'https://t.example/u' } });
  await server.close();
});

test('one address stays one address, and no line break becomes a header', async () => {
  const server = await startMailServer();
  const mailer = createMailer({ url: server.url, from: 't@example.com' });
  const hostile = { ...MAIL, to: 'a@example.com,b@example.com', subject: 'Hi\r\nBcc: c@example.com' };
  await mailer.send(hostile).catch(() => undefined);
  await mailer.send(MAIL);
  await server.mailTo('ann@example.com');
  expect(JSON.stringify(server.mails.map(({ parsed: { to, bcc } }) => [to, bcc]))).not.toMatch(
    /"address":"[bc]@example.com"/,
  );
  await server.close();
});

test('a password is not sent to a server without TLS, and the error names the server and no password', async () => {
  const server = await startMailServer();
  const { host } = new URL(server.url);
  const mailer = createMailer({ url: `smtp://user:hunter2@${host}`, from: 't@example.com' });
  const error: unknown = await mailer.send(MAIL).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(`The mail server ${host} did not accept a mail`);
  expect(String(error)).not.toContain('hunter2');
  expect(server.mails).toEqual([]);
  await server.close();
});

test('a server that never answers fails the mail', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 't@example.com', connectMs: 300 });
  await expect(mailer.send(MAIL)).rejects.toThrow('did not accept a mail');
  silent.close();
});
