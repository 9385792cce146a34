/** The words of a notice, for mails and chats alike. */
import { type OrganizationLinks, schedulePage, setPage } from '../../domain/addresses.ts';
import { shortDevice } from '../../domain/devices.ts';
import { type NoticeFacts, type NoticeKind, plainName, unlinkedText } from '../../domain/notices.ts';
import { counted } from '../../domain/text.ts';
import { withScheme } from '../../domain/webAddresses.ts';

/** Something that happened, as it waits for its mail. */
export interface Happened {
  readonly kind: NoticeKind;
  readonly facts: NoticeFacts;
  readonly times: number;
  readonly pictures: number;
  readonly set_id: string | null;
  readonly subject_id: string | null;
  /** The name of the set, or of its campaign. */
  readonly set_name: string | null;
  /** client_answered: what clients answered since it happened first. */
  readonly answers: ClientAnswers | null;
}

/** The newest answer about each picture counts. */
interface ClientAnswers {
  /** Pictures. */
  readonly approved: number;
  readonly changed: number;
  /** The first ones. */
  readonly changes: readonly AskedChange[];
}

interface AskedChange {
  /** Null: about several pictures. */
  readonly site_url: string | null;
  readonly device: string | null;
  readonly pictures: number;
  readonly text: string | null;
  readonly by: string;
}

export interface NoticeItem {
  readonly kind: NoticeKind | 'test';
  /** One line. */
  readonly title: string;
  readonly text: string;
  /** A page that needs signing in. */
  readonly url: string;
  /** Whether a client asks for changes, which a title names before everything else. */
  readonly asksForChanges?: boolean;
}

/**
 * A name that anybody may have typed, also without an account. Marks keep one that is written from right to left from reordering the
 * text around it, also in plain text.
 */
function shown(name: string, max?: number): string {
  const plain = unlinkedText(plainName(name, max));
  return /[\u0590-\u08ff\ufb1d-\ufefc]/u.test(plain) ? `\u2068${plain}\u2069` : plain;
}

const number = (count: number) => count.toLocaleString('en');

type Words = readonly [title: string, text: string];

const WORDS: Readonly<Record<NoticeKind, (given: Happened, set: string) => Words>> = {
  set_ready: ({ facts: { inReview, failed = 0 }, pictures: count }, set) => [
    `${inReview === true ? 'Ready for review' : 'Pictures are ready'}: ${set}`,
    `${counted(count, 'picture')}${inReview === true ? ` ${count === 1 ? 'waits' : 'wait'} for a decision` : ''}.${failed > 0 ? ` ${number(failed)} more failed.` : ''}`,
  ],
  set_failed: ({ facts: { failed = 0 } }, set) => [
    `Failed: ${set}`,
    `None of ${counted(failed, 'picture')} could be taken. The page shows why.`,
  ],
  picture_rejected: ({ facts: { by }, pictures: count }, set) => [
    `Rejected: ${set}`,
    `${by === undefined ? 'A reviewer' : shown(by)} rejected ${count === 0 ? 'the set' : counted(count, 'picture')}.`,
  ],
  client_answered: ({ facts: { by = '', approved }, times, pictures: count, answers }, set) => [
    answers !== null && answers.changed > 0
      ? `${counted(answers.changed, 'change')} requested: ${set}`
      : `The client answered: ${set}`,
    answers !== null && answers.changed > 0
      ? changesText(answers)
      : times === 1
        ? `${shown(by)} ${approved === true ? 'approved' : 'requested changes to'} ${counted(count, 'picture')}.`
        : `${number(times)} answers about ${counted(count, 'picture')}. The last one is by ${shown(by)}, who ${approved === true ? 'approved' : 'requested changes'}.`,
  ],
  share_opened: ({ facts: { label = '' } }, set) => [
    `Opened by the client: ${set}`,
    `The share link${label === '' ? '' : ` “${shown(label)}”`} was opened for the first time.`,
  ],
  endpoint_disabled: ({ facts: { label = '', reason = '' } }) => [
    `Webhook endpoint disabled: ${plainName(label)}`,
    `${reason} Correct the receiver, then enable the endpoint.`,
  ],
  schedule_paused: ({ facts: { label = '', reason = '' } }) => [
    `Schedule paused: ${shown(label)}`,
    `${reason} Correct the schedule, then resume it.`,
  ],
  quota_near: ({ facts: { used = 0, quota = 0 } }) => [
    used >= quota ? 'The quota of today is used up' : `${Math.floor((100 * used) / quota)} % of today’s quota is used`,
    `${number(used)} of ${counted(quota, 'picture')} were requested today. The next day begins at 00:00 UTC.`,
  ],
};

/** Characters of the text of one change. */
const CHANGE_MAX = 300;

/** A line for each change, before what was approved. */
function changesText({ approved, changed, changes }: ClientAnswers): string {
  const more = changed - changes.reduce((sum, { pictures }) => sum + pictures, 0);
  return [
    ...changes.map(changeLine),
    ...(more > 0 ? [`And ${counted(more, 'more change')}.`] : []),
    ...(approved > 0 ? [`${counted(approved, 'picture')} approved.`] : []),
  ].join('\n');
}

function changeLine({ site_url, device, pictures, text, by }: AskedChange): string {
  const host = site_url === null ? null : (URL.parse(withScheme(site_url))?.host ?? site_url);
  const picture =
    host === null || device === null ? counted(pictures, 'picture') : `${plainName(host)}, ${shortDevice(device)}`;
  return `${picture}: ${text === null ? 'a change without a comment' : `“${shown(text, CHANGE_MAX)}”`} (${shown(by)})`;
}

export function noticeItem(given: Happened, place: OrganizationLinks): NoticeItem {
  const set = shown(given.set_name ?? 'a set');
  const [title, text] = WORDS[given.kind](given, set);
  const asksForChanges = (given.answers?.changed ?? 0) > 0;
  return { kind: given.kind, title, text, url: pageOf(given, place), ...(asksForChanges && { asksForChanges }) };
}

function pageOf({ kind, set_id, subject_id }: Happened, place: OrganizationLinks): string {
  if (set_id !== null) return setPage(place, set_id);
  if (kind === 'schedule_paused') return schedulePage(place, subject_id ?? '');
  const organization = `${place.publicUrl}/o/${place.slug}`;
  return kind === 'endpoint_disabled' ? `${organization}/settings/endpoints/${subject_id}` : organization;
}
