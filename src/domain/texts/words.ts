/** The facts for the texts of all languages. Texts that people typed are safe to show in mails and chats. */

/** A change that a client asks for, or a comment. */
export interface AskedWords {
  /** The name of the client. */
  readonly by: string;
  /** Site and device; undefined if it is about several pictures. */
  readonly place: string | undefined;
  /** Pictures; 0 for a comment. */
  readonly count: number;
  /** The words of the client. */
  readonly text: string | undefined;
}

/** A reply to a thread of a client. `by` is another client; null: the organization, which the subject names. */
export interface ReplyWords extends Pick<AskedWords, 'text' | 'place'> {
  readonly by: string | null;
}

/** Answers of clients that are only counted, in pictures. */
export interface OtherAnswers {
  readonly approved: number;
  readonly more: number;
  readonly set: string;
}

export interface NoticeWords {
  readonly set: string;
  /** Sites and devices of the set; '' without a set. */
  readonly about: string;
  readonly times: number;
  /** Pictures. */
  readonly count: number;
  readonly failed: number;
  readonly isInReview: boolean;
  readonly isApproval: boolean;
  /** The reviewer or client. */
  readonly by: string | undefined;
  /** picture_rejected: site and device of the newest picture, and the reason. */
  readonly place: string | undefined;
  readonly text: string | undefined;
  readonly label: string | undefined;
  readonly reason: string | undefined;
  readonly used: number;
  readonly quota: number;
}

/** @returns the parts that there are, in one line. */
export const dotted = (...parts: readonly unknown[]) => parts.filter(Boolean).join(' · ');
