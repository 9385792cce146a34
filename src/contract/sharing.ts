/** Bodies and records of share links. */
import { z } from 'zod';
import {
  CLIENT_NAME_MAX,
  expiryFault,
  RESTORE_MINUTES,
  SHARE_ANSWERS,
  SHARE_DAYS_DEFAULT,
  SHARE_DAYS_MAX,
  SHARE_LABEL_MAX,
  SHARE_PASSWORD_MAX,
  SHARE_PASSWORD_MIN,
  SHARED_PICTURES,
} from '../domain/shareLinks.ts';
import { codePoints, EMAIL_MAX, isBlank } from '../domain/text.ts';
import { Client, commentBody, commentFields } from './comments.ts';
import { envelope, KeyReference, time, UserReference, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';
import { instant, lengthFault, text, textUpTo } from './textFields.ts';

const expiresAt = instant('2026-12-24T18:00:00Z', (time) => expiryFault(time, new Date()));

const DOWNLOADS =
  'Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads.';

const ANSWERS = 'Whether readers of the link may answer and comment, with their names and e-mail addresses.';
const PICTURES =
  '`approved`: only pictures that a reviewer approved, or whose set is approved. Rejected pictures are never shown.';

/** People type it, so its length is limited. */
const SharePassword = text((value) =>
  codePoints(value) < SHARE_PASSWORD_MIN
    ? `must be at least ${SHARE_PASSWORD_MIN} characters.`
    : lengthFault(value, SHARE_PASSWORD_MAX),
).meta({ minLength: SHARE_PASSWORD_MIN, maxLength: SHARE_PASSWORD_MAX, format: 'password' });

export const NewShare = z
  .object({
    label: textUpTo(SHARE_LABEL_MAX).nullish().describe('For whom the link is. Readers of the link do not see it.'),
    expires_at: expiresAt
      .nullish()
      .describe(`In ${SHARE_DAYS_DEFAULT} days unless given, at most ${SHARE_DAYS_MAX} days from now.`),
    downloads: z.boolean().nullish().describe(`${DOWNLOADS} \`false\` unless given.`),
    answers: z.boolean().nullish().describe(`${ANSWERS} \`false\` unless given.`),
    password: SharePassword.nullish().describe('Readers of the link must know it. No response contains it.'),
    pictures: z.enum(SHARED_PICTURES).nullish().describe(`${PICTURES} \`all\` unless given.`),
  })
  .meta({ id: 'NewShare', description: `A share link to create. ${OURS}` });

export const ShareChange = z
  .object({
    expires_at: expiresAt.nullish().describe(`The new end, at most ${SHARE_DAYS_MAX} days from now.`),
    password: SharePassword.nullish().describe(
      'The new password. Null: the link needs none. With either, browsers that knew the old one and clients who get e-mails about the link are asked again.',
    ),
    revoked: z
      .literal(false)
      .nullish()
      .describe(`Restores a link that was revoked in the last ${RESTORE_MINUTES} minutes.`),
  })
  .meta({ id: 'ShareChange', description: `A change of a share link. Absent fields stay. ${OURS}` });

export const ShareRecord = z
  .object({
    type: z.literal('share'),
    id: z.uuid(),
    screenshot_set_id: z.uuid().optional().describe('The set; absent for a campaign.'),
    campaign_id: z.uuid().optional().describe('The campaign; absent for a set.'),
    url: z.url().describe('Anyone who has this address sees the pictures until the link expires or is revoked.'),
    label: z.string(),
    downloads: z.boolean().describe(DOWNLOADS),
    answers: z.boolean().describe(ANSWERS),
    has_password: z.boolean(),
    pictures: z.enum(SHARED_PICTURES).describe(PICTURES),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: time,
    created_by: KeyReference.nullable(),
    created_by_user: UserReference.nullable(),
    expires_at: time,
    revoked_at: time.nullable(),
    last_used_at: time.nullable().describe('To the minute.'),
    uses: z.number().int().describe('Minutes in which the link was opened.'),
  })
  .meta({ id: 'Share', description: `A share link of a set or a campaign. ${OURS}` });

export const ShareAnswerRecord = z
  .object({
    type: z.literal('share_answer'),
    id: uuid,
    screenshot_set_id: uuid,
    share: z.object({ id: uuid, label: z.string() }),
    screenshot_id: uuid
      .nullable()
      .describe('Null: the answer is about all pictures of the link that had no answer through it yet.'),
    pictures: z.number().int().describe('How many pictures the answer is about.'),
    answer: z.enum(SHARE_ANSWERS),
    comment: z.string().nullable().describe('Null if there is none, or if it was deleted.'),
    comment_id: uuid.nullable(),
    client: Client,
    created_at: time,
  })
  .meta({
    id: 'ShareAnswer',
    description: `The answer of a client who has a share link. It changes no review and no status. ${OURS}`,
  });

export const ShareAnswerEvent = envelope(ShareAnswerRecord, ['share.answered']).meta({
  id: 'ShareAnswerEvent',
  description: `\`share.answered\`. ${OURS}`,
});

const clientFields = {
  name: text((value) => (isBlank(value) ? 'must not be blank.' : lengthFault(value, CLIENT_NAME_MAX))).meta({
    maxLength: CLIENT_NAME_MAX,
  }),
  email: z.string().trim().max(EMAIL_MAX, 'is too long.').pipe(z.email('must be an e-mail address.')),
};

/** The answer of a client, from the form of a shared page. */
export const ClientAnswer = z.object({
  answer: z.enum(SHARE_ANSWERS),
  screenshot_id: z.uuid().nullish(),
  comment: commentBody.nullish(),
  /** A place of the comment. */
  pin: commentFields.pin,
  ...clientFields,
});

/** The comment of a client, from the form of a shared page. */
export const ClientComment = z.object({ screenshot_id: z.uuid().nullish(), ...commentFields, ...clientFields });

export type ClientAnswer = z.output<typeof ClientAnswer>;
export type ClientComment = z.output<typeof ClientComment>;
export type ShareAnswerRecord = z.infer<typeof ShareAnswerRecord>;
export type ShareRecord = z.infer<typeof ShareRecord>;
