/** The query parameters of lists. Each value is text and may occur once. */
import { z } from 'zod';
import { ACTOR_TYPES, AUDIT_ACTION_NAMES } from '../domain/auditLog.ts';
import { DEVICE_NAMES } from '../domain/devices.ts';
import { isUuid } from '../domain/slugs.ts';
import { AD_STATUSES, SET_STATUSES } from '../domain/states.ts';
import { codePoints, textFault } from '../domain/text.ts';
import { CHANNELS, EVENT_TOPICS } from '../domain/topics.ts';
import { hostOfSite } from '../domain/webAddresses.ts';
import { EventId } from './events.ts';
import { MetadataFilter } from './metadata.ts';
import { OURS } from './schemaParts.ts';
import { instant } from './textFields.ts';

const PER_PAGE_MAX = 500;
export const PER_PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000_000;

const wholeNumber = (max: number) =>
  z
    .string('must be given once.')
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= max,
      `must be a whole number from 1 to ${max.toLocaleString('en')}.`,
    )
    .transform(Number);

const time = z
  .string('must be given once.')
  // In a query, a plus sign that was not encoded arrives as a space.
  .transform((value) => value.replace(/ (?=\d{2}:?\d{2}$)/, '+'))
  .pipe(instant('2026-11-21T09:30:00Z'))
  .optional();
const at = (description: string) => time.meta({ description, override: { type: 'string', format: 'date-time' } });

export const uuid = z.string('must be given once.').refine(isUuid, 'must be a UUID.').meta({ format: 'uuid' });
const plain = z.string('must be given once.').superRefine((value, context) => {
  const message = textFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const paging = {
  page: wholeNumber(PAGE_MAX)
    .optional()
    .meta({ description: 'From 1.', override: { type: 'integer', minimum: 1, maximum: PAGE_MAX } }),
  per_page: wholeNumber(PER_PAGE_MAX)
    .optional()
    .meta({
      description: `${PER_PAGE_DEFAULT} unless given, at most ${PER_PAGE_MAX}.`,
      override: { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX },
    }),
};

const SEARCH_MAX = 200;
const search = (what: string) =>
  plain
    .refine((value) => codePoints(value) <= SEARCH_MAX, `must be at most ${SEARCH_MAX} characters.`)
    .meta({ maxLength: SEARCH_MAX })
    .optional()
    .describe(`Only with words that begin with this text, in ${what}, or with an id that does. ${OURS}`);

const range = (what: string) => ({
  from: at(`${what} at this time or later. ${OURS}`),
  to: at(`${what} at this time or earlier. ${OURS}`),
});

/** Use it with `superRefine`. */
function requireOrder(
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
  context: z.RefinementCtx,
): void {
  if (from === undefined || to === undefined || from <= to) return;
  context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after "to".' });
}

/** For lists that may become long: a page that begins after an object costs the same wherever it is. */
const after = (what: string) => ({
  after: uuid.optional().describe(`Only ${what} that follow this one in the list. ${OURS}`),
});

export const UploadsQuery = z.object({ ...paging, ...after('uploads'), ...range('Created') }).superRefine(requireOrder);

/** A list of objects that has no filters but the time of creation. */
export const ListQuery = z.object({ ...paging, ...range('Created') }).superRefine(requireOrder);

/** Connectors have no pages, and only the time of their last change. */
export const ConnectorsQuery = z.object(range('Set or changed')).superRefine(requireOrder);

/** The filters of a list of ads, which the pages have too. */
export const adFilters = {
  q: search('the name or the lookup key'),
  status: z.enum(AD_STATUSES).optional().describe(`Only with this status. ${OURS}`),
  ...range('Created'),
};

export const campaignFilters = { q: search('the name'), ...range('Created') };

export const setFilters = {
  q: search('the names of campaign and ads, the lookup keys or the sites'),
  status: z.enum(SET_STATUSES).optional().describe(`Only with this status. ${OURS}`),
  site: plain
    .transform(hostOfSite)
    .optional()
    .meta({
      description: `Only with screenshots of this site or its subdomains: a host name or an address. ${OURS}`,
      override: { type: 'string' },
    }),
  device: z.enum(DEVICE_NAMES).optional().describe(`Only with screenshots on this device. ${OURS}`),
  ...range('Requested'),
};

export const AdsQuery = z
  .object({
    ...paging,
    ...after('ads'),
    ...adFilters,
    campaign_id: uuid.optional().describe(`Only from this campaign. ${OURS}`),
    lookup_key: plain.optional().describe(`Only with this lookup key. ${OURS}`),
    metadata: MetadataFilter,
  })
  .superRefine(requireOrder);

export const CampaignsQuery = z
  .object({
    ...paging,
    ...after('campaigns'),
    ...campaignFilters,
    name: plain.optional().describe(`Only campaigns with exactly this name. ${OURS}`),
  })
  .superRefine(requireOrder);

export const SetsQuery = z
  .object({
    ...paging,
    ...after('sets'),
    ...setFilters,
    campaign_id: uuid.optional().describe(`Only from this campaign. ${OURS}`),
    metadata: MetadataFilter,
  })
  .superRefine(requireOrder);

export const ScreenshotsQuery = z
  .object({
    ...paging,
    from: at(
      'Approved at this time or later. Unless given: 24 hours before `to`, or before now if `to` is in the future.',
    ),
    to: at('Approved at this time or earlier; now unless given.'),
    order: z.enum(['asc', 'desc']).optional().describe('By the time of approval; `desc` unless given.'),
    include: z.enum(['ad.creative']).optional().describe('`ad.creative`: with the media of the ads.'),
    ...after('screenshots'),
  })
  .superRefine(requireOrder);

export const SetScreenshotsQuery = z.object({ ...paging, ...after('screenshots of the set') });

export const EventsQuery = z
  .object({
    ...paging,
    after: EventId.optional().describe(`Only events that follow this one in the list. ${OURS}`),
    topic: z.enum(EVENT_TOPICS).optional().describe(`Only of this topic. ${OURS}`),
    screenshot_set_id: uuid.optional().describe(`Only about this set. ${OURS}`),
    ad_id: uuid.optional().describe(`Only about this ad. ${OURS}`),
    webhook_endpoint_id: uuid.optional().describe(`Only those that this webhook endpoint received. ${OURS}`),
    ...range('Recorded'),
  })
  .superRefine(requireOrder);

export const DeliveriesQuery = z
  .object({
    ...paging,
    ...after('deliveries'),
    topic: z.enum(EVENT_TOPICS).optional().describe(`Only about events of this topic. ${OURS}`),
    channel: z.enum(CHANNELS).optional().describe(`Only by this channel. ${OURS}`),
    screenshot_set_id: uuid.optional().describe(`Only about this set. ${OURS}`),
    ad_id: uuid.optional().describe(`Only about this ad. ${OURS}`),
    webhook_endpoint_id: uuid.optional().describe(`Only to this webhook endpoint. ${OURS}`),
    status: z
      .enum(['pending', 'delivered', 'retries_exhausted', 'gone', 'refused'])
      .optional()
      .describe(`Only with this status. ${OURS}`),
    ...range('Created'),
  })
  .superRefine(requireOrder);

const ACTOR = new RegExp(`^([A-Za-z0-9]{8}|${ACTOR_TYPES.join('|')})$`);

/** The filters of the audit log, which its page has too. */
export const auditLogFilters = {
  action: z.enum(AUDIT_ACTION_NAMES).optional().describe(`Only this action. ${OURS}`),
  actor: plain
    .refine((value) => ACTOR.test(value), `must be the id of an API key, or one of: ${ACTOR_TYPES.join(', ')}.`)
    .meta({ pattern: ACTOR.source })
    .optional()
    .describe(`Only actions of the API key with this id, or of this type of actor. ${OURS}`),
  ...range('Done'),
};

export const AuditLogQuery = z
  .object({
    ...paging,
    ...auditLogFilters,
    ...after('entries'),
  })
  .superRefine(requireOrder);
