/** Sends notices: collects what is due, and delivers mails and messages of chats. */
import { sql } from 'kysely';
import type { NodemailerError } from 'nodemailer';
import type { Database } from '../../db/database.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { DeliveryOptions, SendDelivery, SentDelivery } from '../webhooks/deliveryWorker.ts';
import { createWebhookFetch, postJson } from '../webhooks/webhook.ts';
import { chatMessage } from './chatMessage.ts';
import { disableChat, readChatToSend } from './chats.ts';
import { forgetRefusals, noteRefusal, readAddressee, unsubscribeToken } from './choices.ts';
import { sendClientMails } from './clientMails.ts';
import { collectNotices, noticeOf } from './collect.ts';
import { noticeMail } from './mail.ts';
import { type MailMeans, readMailLook } from './mailPictures.ts';

export interface NoticeOptions {
  /** Undefined without a mail server: members get no notices then. */
  readonly mailer: Mailer | undefined;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** The secret of the installation, which signs the links that end notices. */
  readonly secret: Buffer;
}

const COLLECT_MS = 5_000;

/** Collects notices until it is stopped. */
export async function startCollecting(
  { store: { db }, log }: Pick<DeliveryOptions, 'store' | 'log'>,
  { mailer, publicUrl }: NoticeOptions,
): Promise<Repetition> {
  await noteMailer(db, mailer !== undefined);
  return repeatAll(log, 'notices could not be collected; retrying', () => collectNotices(db, publicUrl));
}

/** @param work returns how much it did; it is repeated at once until that is nothing. */
function repeatAll(log: Log, message: string, work: () => Promise<number>): Repetition {
  return repeat(async (isStopped) => {
    try {
      while (!isStopped() && (await work()) > 0);
    } catch (err) {
      log.error({ err }, message);
    }
  }, COLLECT_MS);
}

/** Without a mail server, mails that wait end. Otherwise they would wait forever. */
async function noteMailer(db: Database, sendsMail: boolean): Promise<void> {
  await db.updateTable('installation').set({ sends_mail: sendsMail }).where('sends_mail', '!=', sendsMail).execute();
  if (sendsMail) return;
  await sql`delete from notices where user_id is not null`.execute(db);
  await sql`update deliveries set status = 'gone', reason = 'The service no longer has a mail server.',
    next_attempt_at = null, finished_at = now() where status = 'pending' and channel = 'email'`.execute(db);
}

/** Sends mails to clients until it is stopped. */
export function startClientMails(means: MailMeans, mailer: Mailer): Repetition {
  return repeatAll(means.log, 'mails to clients could not be read; retrying', () => sendClientMails(means, mailer));
}

/** @param mailer of these notices. */
export const mailSender =
  (means: MailMeans, mailer: Mailer, { secret }: NoticeOptions): SendDelivery =>
  async ({ id, organization_id: organizationId, user_id, set_id: setId, body }, signal) => {
    const { db, publicUrl } = means;
    const member = { organizationId, userId: user_id ?? '' };
    // Read at each attempt, so a removed member gets nothing more.
    const addressee = await readAddressee(db, member);
    if (addressee === undefined) return { outcome: 'gone', error: 'The person is no longer a member.' };
    const { email, stopped } = addressee;
    if (email === null) return { outcome: 'gone', error: 'The person has no verified e-mail address.' };
    if (stopped !== undefined)
      return { outcome: 'refused', error: 'The mail server refused this address several times before.' };
    const notice = noticeOf(body);
    const look = await readMailLook(means, organizationId, notice.items);
    const urls = {
      choicesUrl: `${publicUrl}/o/${notice.organization}/notices`,
      unsubscribeUrl: `${publicUrl}/unsubscribe/${unsubscribeToken(secret, member)}`,
    };
    try {
      await untilAborted(
        signal,
        mailer.send(noticeMail({ to: email, notice, deliveryId: id, setId, publicUrl, look, ...urls })),
      );
    } catch (error) {
      const { made, isAddressRefused } = resultOfError(error);
      if (isAddressRefused) await noteRefusal(db, member.userId, email, errorMessage(error));
      return made;
    }
    await forgetRefusals(db, member.userId);
    return { outcome: 'delivered', statusCode: 250 };
  };

/** The mail may arrive all the same. Its next attempt has the same Message-ID. */
function untilAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error('The service stops.')), { once: true });
  return Promise.race([work, promise]);
}

/** A server that refuses for good says so with 5xx: about the address, or about the content. All else may pass. */
function resultOfError(error: unknown): { made: SentDelivery & { readonly error: string }; isAddressRefused: boolean } {
  const cause: NodemailerError | undefined =
    error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const { code, command, responseCode } = cause ?? {};
  const isFinal = responseCode !== undefined && responseCode >= 500;
  const isAddressRefused = isFinal && code === 'EENVELOPE' && command === 'RCPT TO';
  const isRefused = isAddressRefused || (isFinal && code === 'EMESSAGE');
  const made = {
    outcome: isRefused ? 'refused' : 'retry',
    // Everybody in the organization sees deliveries, so the address and the server are left out.
    error: responseCode === undefined ? 'The mail server did not answer.' : `The mail server answered ${responseCode}.`,
    statusCode: responseCode,
  } as const;
  return { made, isAddressRefused };
}

/** Slack answers so for a channel or a webhook that was removed or archived, and Teams for a workflow. */
const GONE = [404, 410];

export function chatSender({ store: { db }, guard, now = () => new Date() }: DeliveryOptions): SendDelivery {
  const fetch = createWebhookFetch(guard);
  return async ({ organization_id: organizationId, chat_id, body }, signal) => {
    const id = chat_id ?? '';
    const chat = await readChatToSend(db, id);
    if (chat === undefined) return { outcome: 'gone', error: 'The chat was removed.' };
    if (chat.isDisabled) return { outcome: 'gone', error: 'The chat is disabled: enable it first.' };
    const { address: url } = chat;
    const payload = JSON.stringify(chatMessage(chat.kind, noticeOf(body)));
    const { pathname, search } = new URL(url);
    const hidden = [search, ...pathname.split('/')];
    const made = await postJson({ url, payload, headers: {}, hidden, fetch, now, signal });
    if (!GONE.includes(made.statusCode ?? 0)) return made;
    const reason = `The address of the chat answered ${made.statusCode}, so it is gone.`;
    await db.transaction().execute((tx) => disableChat(tx, { organizationId, id }, reason));
    return { ...made, outcome: 'gone', error: reason };
  };
}
