/** Mails to clients who follow a share link: the confirmation of their address, then replies and new pictures. */
import { picturePath, sharePage } from '../../domain/addresses.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import { ownerOf } from '../sets/shownVersions.ts';
import { claimFollowers, type DueFollower, noteSent, type Reply, readNews } from '../sharing/followers.ts';
import { findOwnId, readReplacement, readSharedIds } from '../sharing/sharedPictures.ts';
import { headersOf, letterOf } from './mail.ts';
import { type MailMeans, readMailLook } from './mailPictures.ts';
import { type NoticeItem, placeOf, shown, titleAndText } from './noticeText.ts';

const TOGETHER = 20;

/** @returns how many mails it tried to send. A failed one is tried again, less and less often. */
export async function sendClientMails(means: MailMeans, mailer: Mailer): Promise<number> {
  const due = await claimFollowers(means.db, TOGETHER);
  for (const follower of due) {
    try {
      const mail = follower.confirmed_at === null ? await confirmation(means, follower) : await news(means, follower);
      if (mail !== undefined) await mailer.send(mail);
      await noteSent(means.db, follower);
    } catch {
      // The error may name the address.
      means.log.warn(
        { share_id: follower.share_id, attempts: follower.attempts },
        'a mail to a client failed; retrying',
      );
    }
  }
  return due.length;
}

async function confirmation(means: MailMeans, follower: DueFollower): Promise<Mail> {
  const { clientMail: texts, followPages } = textsOf(follower.language);
  const item = {
    title: followPages.follow.label,
    text: texts.confirmText(shown(follower.campaign)),
    url: urlOf(means, 'follow', follower),
  };
  return mailOf(means, follower, [{ kind: 'client', ...item }]);
}

const urlOf = ({ publicUrl, tokenOf }: MailMeans, action: 'follow' | 'unfollow', { id }: DueFollower) =>
  `${publicUrl}/${action}/${tokenOf(id)}`;

async function news(means: MailMeans, follower: DueFollower): Promise<Mail | undefined> {
  const { db, publicUrl, tokenOf } = means;
  const texts = textsOf(follower.language).clientMail;
  const { replies, rounds } = await readNews(db, follower);
  const share = sharePage(publicUrl, tokenOf(follower.share_id));
  const items: NoticeItem[] = [];
  for (const reply of replies) {
    const picture = await currentToken(means, follower, reply);
    const url = picture === null ? share : picturePath(share, { image_token: picture });
    const by = reply.client_name === null ? null : shown(reply.client_name);
    const words = titleAndText(reply.body, (text) =>
      texts.replied({ by, text, place: placeOf(reply, follower.language) }),
    );
    items.push({ kind: 'client', ...words, url, picture });
  }
  const fresh = rounds.length === 0 ? [] : await readSharedIds(db, follower);
  const taken = fresh.filter(({ set_id }) => rounds.includes(set_id));
  if (taken.length > 0) {
    const title = texts.newPictures(taken.length, shown(follower.campaign));
    items.push({ kind: 'client', title, text: '', url: share, picture: taken[0]?.image_token ?? null });
  }
  return items.length === 0 ? undefined : mailOf(means, follower, items);
}

/** A round may have replaced the picture of the thread. */
async function currentToken({ db }: MailMeans, follower: DueFollower, { token }: Reply): Promise<string | null> {
  const own = token === null ? undefined : await findOwnId(db, ownerOf(follower), token);
  return own === undefined ? null : ((await readReplacement(db, follower, own)) ?? null);
}

async function mailOf(means: MailMeans, follower: DueFollower, items: readonly NoticeItem[]): Promise<Mail> {
  const look = await readMailLook(means, follower.organization_id, items);
  const { language } = follower;
  const { clientMail, followPages } = textsOf(language);
  const name = look.name ?? follower.slug;
  const stop = urlOf(means, 'unfollow', follower);
  const links = [[followPages.unfollow.label, stop]] as const;
  const letter = letterOf({ items, more: 0, language, look, name, why: clientMail.why(name), links });
  const { host } = new URL(means.publicUrl);
  const sent = follower.told_at?.getTime() ?? 'confirm';
  return {
    to: follower.email,
    ...letter,
    subject: `${name}: ${letter.subject}`,
    headers: { 'Message-ID': `<share-${follower.id}-${sent}@${host}>`, ...headersOf(stop) },
  };
}
