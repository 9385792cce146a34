/** Bodies and records of comments, and of reviews of several pictures. */
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import { DECISIONS, THREAD_COMMENT_MAX } from '../domain/reviews.ts';
import { ExpectedDecision } from './changes.ts';
import { KeyReference, time, UserReference, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';
import { textUpTo } from './textFields.ts';

const most = DEFAULT_LIMITS.screenshots;

export const ScreenshotReviewsBody = z
  .object({
    decision: z.enum(DECISIONS).describe('`none` withdraws decisions.'),
    screenshot_ids: z
      .array(z.uuid('must be a UUID.'))
      .min(1, 'must name at least one screenshot.')
      .max(most, `must have at most ${most.toLocaleString('en')} entries.`)
      .nullish()
      .describe('Screenshots of the set or of its retakes. Unless given: all pictures of the set.'),
    expected_decision: ExpectedDecision,
  })
  .meta({ id: 'ScreenshotReviews', description: `One decision about several pictures of a set. ${OURS}` });

export const ScreenshotReviewsRecord = z
  .object({
    type: z.literal('screenshot_reviews'),
    screenshot_set_id: uuid,
    decision: z.enum(DECISIONS),
    screenshot_ids: z.array(uuid),
    previous: z
      .array(z.object({ decision: z.enum(DECISIONS), screenshot_ids: z.array(uuid) }))
      .describe('The decisions before. Each entry is a body of this request: send them to undo this one.'),
  })
  .meta({ id: 'ScreenshotReviewsRecord', description: `Decisions that were stored. ${OURS}` });

const fraction = z.number().min(0, 'must be from 0 to 1.').max(1, 'must be from 0 to 1.');

export const commentBody = textUpTo(THREAD_COMMENT_MAX, 'must not be blank.');

export const commentFields = {
  body: commentBody,
  pin: z
    .object({ x: fraction, y: fraction })
    .nullish()
    .describe('A place on the picture, as fractions of its width and height. A reply has none.'),
  reply_to: z.uuid('must be a UUID.').nullish().describe('The first comment of the thread.'),
};

export const NewComment = z
  .object(commentFields)
  .meta({ id: 'NewComment', description: `A comment that begins a thread, or a reply. ${OURS}` });

export const CommentChange = z
  .object({ resolved: z.boolean() })
  .meta({ id: 'CommentChange', description: `Resolves a thread, or reopens it. ${OURS}` });

export const Client = z
  .object({ name: z.string(), email: z.string(), ip_address: z.string().nullable() })
  .meta({ id: 'Client', description: `The person who used a share link, as this person gave it. ${OURS}` });

export const CommentRecord = z
  .object({
    type: z.literal('comment'),
    id: uuid,
    screenshot_set_id: uuid,
    screenshot_id: uuid.nullable().describe('Null: the comment is about the set.'),
    reply_to: uuid.nullable().describe('The first comment of the thread; null for that comment.'),
    body: z.string(),
    pin: z.object({ x: z.number(), y: z.number() }).nullable(),
    author: z.object({
      key: KeyReference.nullable(),
      user: UserReference.nullable(),
      client: Client.extend({ share_id: uuid })
        .nullable()
        .describe('Null if a key or a member of the organization wrote it.'),
    }),
    created_at: time,
    resolved: z.boolean().describe('Always false for a reply.'),
    resolved_at: time.nullable(),
    resolved_by: KeyReference.nullable(),
    resolved_by_user: UserReference.nullable(),
  })
  .meta({ id: 'Comment', description: `A comment of a reviewer or a client. ${OURS}` });

export const ThreadRecord = CommentRecord.extend({
  replies: z.array(CommentRecord).describe('Oldest first.'),
}).meta({ id: 'Thread', description: `A comment with its replies. ${OURS}` });

export type ScreenshotReviewsRecord = z.infer<typeof ScreenshotReviewsRecord>;
export type NewComment = z.output<typeof NewComment>;
export type CommentRecord = z.infer<typeof CommentRecord>;
export type ThreadRecord = z.infer<typeof ThreadRecord>;
