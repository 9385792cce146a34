/** The English texts of mails and documents. Each other language has a file with the same keys, so that `tsc` finds a missing text. */

import { shortDevice } from '../devices.ts';
import type { NoticeKind } from '../notices.ts';
import { SCREENSHOT_LABELS } from '../screenshotLabels.ts';
import { counted, firstOf } from '../text.ts';
import type { AskedWords, NoticeWords, OtherAnswers, ReplyWords } from './words.ts';

const quoted = (text: string | undefined) => (text === undefined ? '' : `: “${text}”`);

const NOTICE_TEXTS: Readonly<Record<NoticeKind, (given: NoticeWords) => readonly [title: string, text: string]>> = {
  set_ready: ({ set, about, isInReview, count, failed }) => [
    `${isInReview ? 'Ready for review' : 'Pictures are ready'}: ${set}`,
    `${counted(count, 'picture')}${isInReview ? ` ${count === 1 ? 'waits' : 'wait'} for a decision` : ''}${failed > 0 ? `, ${failed.toLocaleString('en')} more failed` : ''}. ${about}`,
  ],
  set_failed: ({ set, about, failed }) => [
    `Failed: ${set}`,
    `None of ${counted(failed, 'picture')} could be taken. The page shows why. ${about}`,
  ],
  picture_rejected: ({ set, about, by, count, place, text }) => [
    `${by ?? 'A reviewer'} rejected ${count === 0 ? 'a set' : count === 1 && place ? place : counted(count, 'picture')}${quoted(text)}`,
    count === 1 ? set : `${set}. ${about}`,
  ],
  client_answered: ({ set, about, by = '', isApproval, count, times }) => [
    `${by} (client) ${isApproval ? 'approved' : 'asks for changes to'} ${counted(count, 'picture')}: ${set}`,
    `${times > 1 ? `${times.toLocaleString('en')} answers. ` : ''}${about}`,
  ],
  share_opened: ({ set, about, label = '' }) => [
    `Opened by the client: ${set}`,
    `The share link${label === '' ? '' : ` “${label}”`} was opened for the first time. ${about}`,
  ],
  endpoint_disabled: ({ label = '', reason = '' }) => [
    `Webhook endpoint disabled: ${label}`,
    `${reason} Correct the receiver, then enable the endpoint.`,
  ],
  schedule_paused: ({ label = '', reason = '' }) => [
    `Schedule paused: ${label}`,
    `${reason} Correct the schedule, then resume it.`,
  ],
  quota_near: ({ used, quota }) => [
    used >= quota ? 'The quota of today is used up' : `${Math.floor((100 * used) / quota)} % of today’s quota is used`,
    `${used.toLocaleString('en')} of ${counted(quota, 'picture')} were requested today. The next day begins at 00:00 UTC.`,
  ],
};

export const en = {
  /** The language, in itself. */
  name: 'English',
  device: shortDevice,
  notices: {
    ...NOTICE_TEXTS,
    /** A change that a client asks for. */
    change: ({ by, text, place, count }: AskedWords) => {
      const where = count > 1 ? ` to ${counted(count, 'picture')}` : place === undefined ? '' : ` on ${place}`;
      return `${by} (client) asks for changes${text === undefined ? where : `: “${text}”${count > 1 ? `, ${counted(count, 'picture')}` : where}`}`;
    },
    otherAnswers: ({ approved, more, set }: OtherAnswers) =>
      `${[more > 0 && counted(more, 'more change'), approved > 0 && `${counted(approved, 'picture')} approved`].filter(Boolean).join(', ')}: ${set}`,
    /** The sites and devices of a set. */
    about: (sites: readonly string[], devices: readonly string[]) =>
      [firstOf(sites, 3), devices.join(', ')].filter(Boolean).join(' · '),
    aSet: 'a set',
    andMore: (title: string, count: number) => `${title}, and ${count.toLocaleString('en')} more`,
    unlisted: (count: number) => `And ${count.toLocaleString('en')} more, which are not listed here.`,
    open: 'Open',
  },
  memberMail: {
    why: (organization: string) =>
      `You receive this because you are a member of ${organization}. Sign in to open the pages.`,
    choose: 'Choose what you receive',
    stop: (organization: string) => `Stop notices about ${organization}`,
  },
  clientMail: {
    confirm: 'Yes, send me the replies',
    confirmText: (campaign: string) =>
      `This address was entered for e-mails about replies and new pictures of ${campaign}. Open the link to confirm it. If it was not you, ignore this e-mail: you get no others.`,
    replied: ({ by, text, place }: ReplyWords) =>
      `${by === null ? 'Reply' : `${by} replied`}: “${text}”${place === undefined ? '' : ` on ${place}`}`,
    newPictures: (count: number, campaign: string) => `${counted(count, 'new picture')}: ${campaign}`,
    why: (name: string) =>
      `You receive this because you asked for replies about pictures that ${name} shared with you.`,
    stop: 'Stop these e-mails',
  },
  document: {
    preview: 'Placement preview',
    previews: 'Placement previews',
    disclaimer: 'Placement preview: the ad was placed into the live page for this picture.',
    captured: (first: string, last: string) => (first === last ? `Captured ${first}` : `Captured ${first} to ${last}`),
    counts: (pictures: number, sites: number, devices: number) =>
      [counted(pictures, 'picture'), counted(sites, 'site'), counted(devices, 'device')].join(' · '),
    part: (part: number, parts: number) => `part ${part} of ${parts}`,
    about:
      'Each page was opened at the time under its picture, and the ad was placed into one of its slots. The pictures show how the campaign looks there. They do not show that it ran.',
    contact: 'Contact',
    overview: 'Overview',
    summary: 'Summary',
    columns: {
      site: 'Site',
      ad: 'Ad',
      size: 'Size',
      device: 'Device',
      pictures: 'Pictures',
      status: 'Status',
      reason: 'Reason',
      page: 'Page',
    },
    failures: 'Not captured',
    statuses: SCREENSHOT_LABELS,
    thePage: (title: string, device: string) => `The page ${title}, ${device}`,
    size: 'Size of the ad',
    moment: 'Moment of the ad',
    defaultMoment: 'Default frame',
    time: 'Captured',
    slot: 'Slot',
    slotUncertain: 'To be checked: this slot may not be the best one',
    /** For readers who cannot see the picture. */
    describe: (ad: string, moment: string | undefined, site: string, device: string) =>
      `Placement preview: ${ad}${moment === undefined ? '' : ` at ${moment}`} on ${site}, ${device}`,
  },
  followPages: {
    unknown: 'Unknown link',
    unknownText: 'This link is not valid any more. The pictures may no longer be shared.',
    follow: {
      ask: 'Get replies by e-mail?',
      label: 'Yes, send me the replies',
      done: 'Your address is confirmed',
      doneText: 'You will get an e-mail about replies and new pictures. Each e-mail has a link that ends them.',
    },
    unfollow: {
      ask: 'Stop these e-mails?',
      label: 'Stop the e-mails',
      done: 'No more e-mails',
      doneText: 'You will get no more e-mails about these pictures.',
    },
  },
};

export type Texts = typeof en;
