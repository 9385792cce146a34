/** Notices: which events people and chats are notified of, when, and the defaults. */
import type { Role } from './roles.ts';
import { cutCodePoints } from './text.ts';

/** `now`: within about a minute, so that events that happen together are sent in one mail. */
export const TIMINGS = ['now', 'hour', 'day', 'none'] as const;
export type Timing = (typeof TIMINGS)[number];

export const TIMING_TEXTS: Readonly<Record<Timing, string>> = {
  now: 'immediately',
  hour: 'in an hourly digest',
  day: 'in a daily digest',
  none: 'never',
};

interface NoticeRule {
  /** For people who choose what they get. */
  readonly label: string;
  /** For people with one of these roles who chose nothing. Others get it only if they choose it. */
  readonly timing: Exclude<Timing, 'none'>;
  readonly roles: readonly Role[];
}

const REVIEWERS = ['owner', 'manager', 'reviewer'] as const;

export const NOTICES = {
  set_ready: { label: 'A set is ready for review, or was approved automatically', timing: 'hour', roles: REVIEWERS },
  set_failed: { label: 'A set failed: it has no picture', timing: 'hour', roles: ['owner', 'manager'] },
  picture_rejected: { label: 'A reviewer rejected pictures', timing: 'hour', roles: ['owner', 'manager'] },
  client_answered: { label: 'A client answered or commented through a share link', timing: 'now', roles: REVIEWERS },
  share_opened: { label: 'A share link was opened for the first time', timing: 'day', roles: ['owner', 'manager'] },
  endpoint_disabled: { label: 'The service disabled a webhook endpoint', timing: 'now', roles: ['owner'] },
  schedule_paused: { label: 'The service paused a schedule', timing: 'now', roles: ['owner', 'manager'] },
  quota_near: { label: '80 % or 100 % of the daily quota is used', timing: 'now', roles: ['owner', 'manager'] },
} as const satisfies Record<string, NoticeRule>;

export type NoticeKind = keyof typeof NOTICES;
export const NOTICE_KINDS = Object.keys(NOTICES).filter(isNoticeKind);

function isNoticeKind(name: string): name is NoticeKind {
  return Object.hasOwn(NOTICES, name);
}

/** @returns when a member hears of this kind unless the member chose otherwise. */
export function defaultTiming(kind: NoticeKind, role: Role): Timing {
  const { timing, roles }: NoticeRule = NOTICES[kind];
  return roles.includes(role) ? timing : 'none';
}

/** Facts for the text of a notice, by kind. Names are as people typed them. */
export interface NoticeFacts {
  /** set_ready */
  readonly inReview?: boolean;
  readonly failed?: number;
  /** The reviewer or client. */
  readonly by?: string;
  readonly approved?: boolean;
  /** The label of a share link, the host of an endpoint, or the name of a schedule. */
  readonly label?: string;
  readonly reason?: string;
  /** quota_near, as counts of pictures */
  readonly used?: number;
  readonly quota?: number;
}

export const CHAT_KINDS = ['slack', 'teams', 'webhook'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
export const CHAT_KIND_TEXTS: Readonly<Record<ChatKind, string>> = {
  slack: 'Slack, incoming webhook',
  teams: 'Microsoft Teams, workflow "When a Teams webhook request is received"',
  webhook: 'Other: JSON with the field "text"',
};

/** Chats of one organization. */
export const CHATS_MAX = 20;
export const CHAT_NAME_MAX = 80;
/** How long an immediate notice waits, so that others can join it. */
export const QUIET_SECONDS = 60;
/** At most this many immediate mails or messages are sent to a receiver per hour. The rest are combined in the next hour. */
export const PER_HOUR_MAX = 20;
/** Daily digests are sent at this hour of the person's time zone. */
export const DAY_HOUR = 7;
/** At most this many entries are in one mail or message, which counts the others. */
export const ITEMS_MAX = 30;
/** After this many consecutive rejections by the mail server, no more mails are sent to that address. */
export const REFUSALS_MAX = 3;

const NAME_MAX = 120;

/** @returns a name that people typed as one line without control characters and without marks that turn the direction of other text. */
export function plainName(text: string, max = NAME_MAX): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').replace(/\s+/g, ' ');
  const cut = cutCodePoints(line.trim(), max);
  return cut.length < line.trim().length ? `${cut}…` : cut;
}

/** @returns the text without what mail programs and chats turn into links, mentions, calls of everybody or other markup. */
export function unlinkedText(text: string): string {
  return (
    text
      // Browsers read the other four as dots of a host, too.
      .replace(/(?<=\S)[.\u2024\u3002\uff0e\uff61](?=\p{L})/gu, '. ')
      .replace(/\\+/g, ' ')
      // A scheme needs no slash: mailto, tel.
      .replace(/(?<=[\p{L}+.-]):(?=\S)/gu, ': ')
      .replace(/\/{2,}/g, '/')
      .replace(/[@\ufe6b\uff20]/g, '(at)')
      .replaceAll('<', '‹')
      .replaceAll('>', '›')
      .replaceAll('](', '] (')
  );
}
