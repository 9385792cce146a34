/** The words of a notice, for mails and chats alike. */
import { type OrganizationLinks, schedulePage, screenshotPage, setPage } from '../../domain/addresses.ts';
import { type NoticeFacts, type NoticeKind, plainName, unlinkedText } from '../../domain/notices.ts';
import { type Language, textsOf } from '../../domain/texts/languages.ts';
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
  /** The first pictures of the set. */
  readonly about: SetAbout | null;
  /** client_answered: what clients answered since it happened first. */
  readonly answers: ClientAnswers | null;
  /** picture_rejected: the newest one. */
  readonly rejected: PictureRemark | null;
}

interface SetAbout {
  readonly sites: readonly string[];
  readonly devices: readonly string[];
  /** The token of a picture. */
  readonly token: string | null;
}

/** The newest answer about each picture counts. */
interface ClientAnswers {
  /** Pictures. */
  readonly approved: number;
  readonly changed: number;
  /** The first ones. */
  readonly changes: readonly AskedChange[];
}

interface PictureRemark {
  /** Null: about several pictures. */
  readonly id: string | null;
  readonly site_url: string | null;
  readonly device: string | null;
  readonly token: string | null;
  readonly text: string | null;
}

interface AskedChange extends PictureRemark {
  /** 0: only a comment. */
  readonly pictures: number;
  readonly by: string;
}

export interface NoticeItem {
  readonly kind: NoticeKind | 'client' | 'test';
  /** One line. */
  readonly title: string;
  readonly text: string;
  /** A page that needs signing in. */
  readonly url: string;
  /** Whether a client asks for changes, which a mail names before everything else. */
  readonly asksForChanges?: boolean;
  /** The token of a picture that mails show. */
  readonly picture?: string | null;
}

/**
 * A name that anybody may have typed, also without an account. Marks keep one that is written from right to left from reordering the
 * text around it, also in plain text.
 */
export function shown(name: string, max?: number): string {
  const plain = unlinkedText(plainName(name, max));
  return /[\u0590-\u08ff\ufb1d-\ufefc]/u.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Characters of the words of a client in a title, and in the text. */
const WORDS_MAX = { title: 100, text: 1_000 };

const wordsOf = (text: string | null, max: number) => (text === null ? undefined : shown(text, max));
const hostOf = (address: string) => plainName(URL.parse(withScheme(address))?.host ?? address);
export const placeOf = ({ site_url, device }: Pick<PictureRemark, 'site_url' | 'device'>, language: Language) =>
  site_url === null || device === null ? undefined : `${hostOf(site_url)}, ${textsOf(language).device(device)}`;

export interface NoticePlace extends OrganizationLinks {
  readonly language: Language;
}

/** Each change that a client asks for is an item of its own, before what was approved. */
export function noticeItems(given: Happened, place: NoticePlace): NoticeItem[] {
  const { kind, answers } = given;
  const changes = (answers?.changes ?? []).map((change) => changeItem(given, change, place));
  if (answers === null || changes.length === 0) return [eventItem(given, place)];
  const { approved, changed } = answers;
  const more = changed - answers.changes.reduce((sum, { pictures }) => sum + pictures, 0);
  if (approved + more === 0) return changes;
  const title = textsOf(place.language).notices.otherAnswers({ approved, more, set: setName(given, place) });
  return [...changes, { kind, title, text: '', url: pageOf(given, place) }];
}

const setName = ({ set_name }: Happened, { language }: NoticePlace) =>
  shown(set_name ?? textsOf(language).notices.aSet);

function changeItem(given: Happened, change: AskedChange, place: NoticePlace): NoticeItem {
  const asked = { by: shown(change.by), place: placeOf(change, place.language), count: change.pictures };
  const { change: titleOf } = textsOf(place.language).notices;
  const { title, text } = titleAndText(change.text, (words) => titleOf({ ...asked, text: words }));
  return {
    ...{ kind: given.kind, title, asksForChanges: change.pictures > 0 },
    text: [setName(given, place), text].filter(Boolean).join('\n'),
    url: change.id === null ? pageOf(given, place) : screenshotPage(place, change.id),
    picture: change.token ?? given.about?.token ?? null,
  };
}

/** @returns a title with the first words that a person typed, and all of them if there are more. */
export function titleAndText(given: string | null, titleOf: (words: string | undefined) => string) {
  const [words, whole] = [WORDS_MAX.title, WORDS_MAX.text].map((max) => wordsOf(given, max));
  return { title: titleOf(words), text: whole === words ? '' : (whole ?? '') };
}

function eventItem(given: Happened, place: NoticePlace): NoticeItem {
  const { kind, facts, rejected, about } = given;
  const { by, label, reason, used = 0, quota = 0, failed = 0 } = facts;
  const texts = textsOf(place.language).notices;
  const [sites, devices] = [about?.sites.map(hostOf), about?.devices.map(textsOf(place.language).device)];
  const [title, text] = texts[kind]({
    ...{ set: setName(given, place), about: texts.about([...new Set(sites)], [...new Set(devices)]) },
    ...{ times: given.times, count: given.pictures, failed, used, quota, reason },
    ...{ isInReview: facts.inReview === true, isApproval: facts.approved === true },
    by: by === undefined ? undefined : shown(by),
    place: rejected === null ? undefined : placeOf(rejected, place.language),
    text: wordsOf(rejected?.text ?? null, WORDS_MAX.title),
    // The service knows the host of an endpoint, so it is safe.
    label: label && (kind === 'endpoint_disabled' ? plainName(label) : shown(label)),
  });
  const id = given.pictures === 1 ? rejected?.id : null;
  const url = id ? screenshotPage(place, id) : pageOf(given, place);
  return { kind, title, text: text.trim(), url, picture: rejected?.token ?? about?.token ?? null };
}

function pageOf({ kind, set_id, subject_id }: Happened, place: OrganizationLinks): string {
  if (set_id !== null) return setPage(place, set_id);
  if (kind === 'schedule_paused') return schedulePage(place, subject_id ?? '');
  const organization = `${place.publicUrl}/o/${place.slug}`;
  return kind === 'endpoint_disabled' ? `${organization}/settings/endpoints/${subject_id}` : organization;
}
