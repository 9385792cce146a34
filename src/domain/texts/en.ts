/** The English texts of mails, documents and pages of clients. Each other language has a file with the same keys, so that `tsc` finds a missing text. */

import { shortDevice } from '../devices.ts';
import type { NoticeKind } from '../notices.ts';
import { SCREENSHOT_LABELS } from '../screenshotLabels.ts';
import { counted, firstOf } from '../text.ts';
import { type AskedWords, dotted, type NoticeWords, type OtherAnswers, type ReplyWords } from './words.ts';

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
const ASK = 'Ask the person who sent it for a new one.';

export const en = {
  /** The language, in itself. */
  name: 'English',
  device: shortDevice,
  notices: {
    ...NOTICE_TEXTS,
    change: ({ by, text, place, count }: AskedWords) => {
      const where = count > 1 ? ` to ${counted(count, 'picture')}` : place === undefined ? '' : ` on ${place}`;
      return `${by} (client)${count === 0 ? '' : ' asks for changes'}${text === undefined ? where : `: “${text}”${count > 1 ? `, ${counted(count, 'picture')}` : where}`}`;
    },
    otherAnswers: ({ approved, more, set }: OtherAnswers) =>
      `${[more > 0 && counted(more, 'more change'), approved > 0 && `${counted(approved, 'picture')} approved`].filter(Boolean).join(', ')}: ${set}`,
    /** The sites and devices of a set. */
    about: (sites: readonly string[], devices: readonly string[]) => dotted(firstOf(sites, 3), devices.join(', ')),
    andMore: (title: string, count: number) => `${title}, and ${count.toLocaleString('en')} more`,
    unlisted: (count: number) => `And ${count.toLocaleString('en')} more, which are not listed here.`,
    ...{ aSet: 'a set', open: 'Open' },
  },
  memberMail: {
    why: (organization: string) =>
      `You receive this because you are a member of ${organization}. Sign in to open the pages.`,
    choose: 'Choose what you receive',
    stop: (organization: string) => `Stop notices about ${organization}`,
  },
  clientMail: {
    confirmText: (campaign: string) =>
      `This address was entered for e-mails about replies and new pictures of ${campaign}. Open the link to confirm it. If it was not you, ignore this e-mail: you get no others.`,
    replied: ({ by, text, place }: ReplyWords) =>
      `${by === null ? 'Reply' : `${by} replied`}: “${text}”${place === undefined ? '' : ` on ${place}`}`,
    newPictures: (count: number, campaign: string) => `${counted(count, 'new picture')}: ${campaign}`,
    why: (name: string) =>
      `You receive this because you asked for replies about pictures that ${name} shared with you.`,
  },
  document: {
    ...{ preview: 'Placement preview', previews: 'Placement previews' },
    disclaimer: 'Placement preview: the ad was placed into the live page for this picture.',
    captured: (first: string, last: string) => (first === last ? `Captured ${first}` : `Captured ${first} to ${last}`),
    counts: (pictures: number, sites: number, devices?: number) =>
      dotted(counted(pictures, 'picture'), counted(sites, 'site'), devices && counted(devices, 'device')),
    part: (part: number, parts: number) => `part ${part} of ${parts}`,
    about:
      'Each page was opened at the time under its picture, and the ad was placed into one of its slots. The pictures show how the campaign looks there. They do not show that it ran.',
    ...{ contact: 'Contact', overview: 'Overview', summary: 'Summary', failures: 'Not captured' },
    findings: 'Creative check',
    columns: {
      ...{ site: 'Site', page: 'Page', ad: 'Ad', size: 'Size', device: 'Device' },
      ...{ pictures: 'Pictures', status: 'Status', reason: 'Reason', rule: 'Rule', finding: 'Finding' },
    },
    statuses: SCREENSHOT_LABELS,
    thePage: (title: string, device: string) => `The page ${title}, ${device}`,
    ...{ size: 'Size of the ad', moment: 'Moment of the ad', defaultMoment: 'Default frame' },
    ...{ time: 'Captured', slot: 'Slot' },
    slotUncertain: 'To be checked: this slot may not be the best one',
    /** For readers who cannot see the picture. */
    describe: (ad: string, moment: string | undefined, site: string, device: string) =>
      `Placement preview: ${ad}${moment === undefined ? '' : ` at ${moment}`} on ${site}, ${device}`,
  },
  /** Parts of pages. Pages of members have the English ones. */
  parts: {
    page: { skip: 'Skip to content', close: 'Close' },
    list: { label: 'Pages', page: 'Page', first: 'First page', previous: 'Previous page', next: 'Next page' },
    pictures: { label: 'Pictures of the set', previous: 'Previous picture', next: 'Next picture' },
    place: (at: number, total: number) => `${at} of ${total}`,
    compare: { label: 'Compare', with: 'Compare with', end: 'End the comparison', overlay: 'Overlay' },
    stage: { actual: 'Actual pixels', open: 'Open in real pixels', moments: 'Moments', play: 'Play', stop: 'Stop' },
    threads: { comment: 'Comment', pin: 'Pin to the picture', earlier: 'about the picture before the retake' },
    resolved: (count: number) => `${count} resolved`,
    download: {
      form: { label: 'Download', format: 'Format', frame: 'Frame', pictures: 'Pictures' },
      formats: { pptx: 'PowerPoint (PPTX)', pdf: 'PDF', zip: 'Original pictures (ZIP)' },
      frames: { none: 'None', browser: 'Browser window with address and time', device: 'Device, or browser window' },
      most: (most: number) => `A PowerPoint or PDF file holds ${most} pictures. A ZIP file holds all.`,
      page: { progress: 'Pictures in the file', again: 'Download it again', back: 'Back to the pictures' },
      building: (done: number, total: number) =>
        `${done} of ${total} pictures are in the file. The download starts when it is ready.`,
      states: {
        ready: 'The file is ready and the download starts.',
        expired: 'This file was removed. Start the download again.',
        failed: 'The file could not be built. Start the download again later.',
      },
    },
  },
  /** Pages of share links. */
  share: {
    you: { name: 'Your name', email: 'Your e-mail address', example: 'An address such as anna@agency.example' },
    form: { optional: '(optional with an answer)', only: 'Send the comment only', reply: 'Reply' },
    follow: 'E-mail me about replies and new pictures',
    answers: { approved: 'Approved', changes_requested: 'Changes requested', new: 'New version', none: 'No answer' },
    actions: { approved: 'Approve', changes_requested: 'Request changes' },
    headings: { answer: 'Answer', yours: 'Your answer', comments: 'Comments', details: 'Answers and details' },
    names: { sender: 'The sender', onAll: 'Comments on all pictures', before: 'The picture before' },
    forAll: { all: 'Answer for all', rest: 'Answer for the rest' },
    scope: (open: number, isRest: boolean) =>
      `Your answer applies to ${counted(open, 'picture')}${isRest ? ' without an answer. The other answers stay' : ''}.`,
    none: 'There are no pictures to show.',
    taking: { all: 'The pictures are being taken. They will appear here.', more: 'More pictures are being taken.' },
    replaced: { title: 'This picture was replaced', next: 'See the new picture' },
    withdrawn: { title: 'This picture is no longer shown', next: 'See all pictures' },
    unsent: 'Your text was not sent. Copy it if you need it:',
    password: { label: 'Password', title: 'These pictures need a password', show: 'Show the pictures' },
    key: { hint: 'Ask the person who sent you the link for it.', wrong: 'This is not the password of the link.' },
    links: {
      expired: ['This link has expired', `Links to pictures are valid for a limited time. ${ASK}`],
      revoked: ['This link was revoked', `The sender has withdrawn this link. ${ASK}`],
      disabled: ['These pictures are not available at the moment', 'Try again later.'],
      removed: ['These pictures were removed', 'Their owner deleted them, or keeps pictures for a limited time only.'],
      unknown: ['There is nothing at this address', 'The link is incomplete, or it is not valid any more.'],
    },
    sent: {
      answered: 'Thank you. Your answer was sent.',
      commented: 'Thank you. Your comment was sent.',
      followed: 'Thank you. You get an e-mail now: open its link, unless you confirmed your address before.',
    },
    errors: {
      title: 'This did not work',
      invalid: 'Check your name, your e-mail address and your comment.',
      conflict: 'All pictures have an answer, or the link is full. Open a picture to change its answer.',
      rate_limited: 'Too many requests came at the same time. Wait a minute, then try again.',
      other: 'The page could not be shown. Open the link again, or try again later.',
    },
  },
  followPages: {
    follow: {
      ...{ ask: 'Get replies by e-mail?', label: 'Yes, send me the replies', done: 'Your address is confirmed' },
      doneText: 'You will get an e-mail about replies and new pictures. Each e-mail has a link that ends them.',
    },
    unfollow: {
      ...{ ask: 'Stop these e-mails?', label: 'Stop these e-mails', done: 'No more e-mails' },
      doneText: 'You will no longer get e-mails about these pictures.',
    },
  },
};

export type Texts = typeof en;
