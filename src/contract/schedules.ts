/** Bodies and records of schedules. */
import { z } from 'zod';
import {
  CRON_MAX,
  DAYS,
  MISSED,
  MISSED_AFTER_MINUTES,
  minutesOf,
  RUN_GAP_MINUTES,
  RUN_OUTCOMES,
  SCHEDULE_DAYS_DEFAULT,
  SCHEDULE_DAYS_MAX,
  SCHEDULE_NAME_MAX,
  SCHEDULE_STATUSES,
  type ScheduleRule,
  WEEKDAYS,
  WINDOW_HOURS_MAX,
} from '../domain/schedules.ts';
import { timeZone } from './exports.ts';
import { type Faults, isObject, type JsonObject } from './faults.ts';
import { time, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';
import { lengthFault, nameUpTo, text } from './textFields.ts';

const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 08:30.')
  .nullish()
  .describe('By the wall clock of the zone.');

const rule = z
  .object({
    cron: text((value) => lengthFault(value, CRON_MAX))
      .meta({ maxLength: CRON_MAX, example: '30 8 * * 1-5' })
      .nullish()
      .describe(
        `Five fields: minute, hour, day, month, day of the week. Runs must be at least ${RUN_GAP_MINUTES} minutes apart.`,
      ),
    days: z
      .array(z.enum(DAYS))
      .min(1, 'must name at least one day, or be left out.')
      .max(DAYS.length)
      .nullish()
      .describe('Days with a window. Monday to Friday unless given.'),
    start: clock,
    end: clock,
  })
  .transform(({ cron, days, start, end }, context): ScheduleRule => {
    const fault = (path: 'cron' | 'end', message: string) => {
      context.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    const isWindow = (days ?? start ?? end ?? null) !== null;
    if (typeof cron === 'string') return isWindow ? fault('cron', 'must be left out beside a window.') : { cron };
    if (typeof start !== 'string' || typeof end !== 'string')
      return fault('cron', 'is required, unless there is a window: start and end.');
    const minutes = minutesOf(end) - minutesOf(start);
    if (minutes <= 0 || minutes > WINDOW_HOURS_MAX * 60)
      return fault('end', `must be after start, by at most ${WINDOW_HOURS_MAX} hours.`);
    return { days: days ?? WEEKDAYS, start, end };
  })
  .meta({
    description:
      'A `cron` expression, or a window of some days: each has one run, at a time between `start` and `end` that stays the same for a schedule and a day.',
  });

const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time, for example 2026-12-24T18:00:00Z.' })
  .transform((value) => new Date(value));

const fields = {
  name: nameUpTo(SCHEDULE_NAME_MAX, 'must not be blank: give the name of the schedule.'),
  rule,
  time_zone: timeZone.describe('IANA name of the zone of the rule.'),
  from: instant.nullish().describe('No run is earlier. Now unless given.'),
  to: instant
    .nullish()
    .describe(
      `No run is later. ${SCHEDULE_DAYS_DEFAULT} days after \`from\` unless given, at most ${SCHEDULE_DAYS_MAX} days from now.`,
    ),
  missed: z
    .enum(MISSED)
    .nullish()
    .describe(
      `Runs that the service missed by more than ${MISSED_AFTER_MINUTES} minutes. \`once\`: when it is back, it makes one of them. \`skip\`: it makes none. \`skip\` unless given.`,
    ),
  paused: z.boolean().nullish().describe('A paused schedule has no runs.'),
};

const reference = z.object({ id: uuid }).nullish();
/** The fields of a new schedule, without the request that it may hold. */
export const NewScheduleFields = z.object({
  ...fields,
  template: reference.describe('A template with ads, sites, devices and a campaign. Later changes have no effect.'),
  screenshot_set: reference.describe('A set, whose screenshots each run takes again.'),
});

/** The whole body, for the API reference. @param request the schema of screenshot requests. */
export const newSchedule = (request: z.ZodObject) =>
  NewScheduleFields.extend({
    request: request
      .nullish()
      .describe('The body of a screenshot request. Its campaign and ads are created at once, and each run uses them.'),
  }).meta({
    id: 'NewSchedule',
    description: `A schedule to create, with one of \`request\`, \`template\` and \`screenshot_set\`. ${OURS}`,
  });

export const ScheduleChange = z
  .object(fields)
  .partial()
  .meta({ id: 'ScheduleChange', description: `Fields of a schedule to change. Absent fields stay. ${OURS}` });
export type ScheduleChange = z.output<typeof ScheduleChange>;

/** The request that a schedule repeats: a body, or the id of what makes one. */
export type RequestSource =
  | { readonly request: JsonObject }
  | { readonly template: string }
  | { readonly screenshot_set: string };

export interface ParsedSchedule {
  readonly given: z.output<typeof NewScheduleFields>;
  readonly source: RequestSource;
}

/** Reads a new schedule, but not what is in its request, which has a parser of its own. */
export function parseNewSchedule({ request, ...body }: JsonObject, faults: Faults): ParsedSchedule | undefined {
  const given = faults.read(NewScheduleFields, body, '');
  if (given === undefined) return undefined;
  const { template, screenshot_set } = given;
  const [source, ...others] = [
    isObject(request) ? [{ request }] : [],
    template ? [{ template: template.id }] : [],
    screenshot_set ? [{ screenshot_set: screenshot_set.id }] : [],
  ].flat();
  if (source !== undefined && others.length === 0) return { given, source };
  faults.add('request', 'is required, or one of template and screenshot_set: give one of the three.');
  return undefined;
}

export const ScheduleRecord = z
  .object({
    type: z.literal('schedule'),
    id: uuid,
    name: z.string(),
    status: z.enum(SCHEDULE_STATUSES).describe('`ended`: it has no further runs.'),
    campaign_id: uuid,
    rule: z.looseObject({}).describe('As given, with all days of a window.'),
    time_zone: z.string(),
    from: time,
    to: time,
    missed: z.enum(MISSED),
    paused: z.boolean(),
    paused_reason: z.string().nullable().describe('Why the service paused it. Null if a person or a program did.'),
    next_runs: z.array(time).describe('The next five runs.'),
    last_run: z
      .object({
        due_at: time,
        outcome: z.enum(RUN_OUTCOMES).describe('`refused`: the request was not valid or not allowed.'),
        screenshot_set_id: uuid.nullable(),
        reason: z.string().nullable().describe('Why it made no set, for people.'),
      })
      .nullable(),
    html_url: z.url().describe('Page of the schedule.'),
    created_at: time,
    updated_at: time,
    request: z
      .looseObject({})
      .optional()
      .describe('The screenshot request of each run, with the ids of its campaign and ads. Lists do not have it.'),
  })
  .meta({ id: 'Schedule', description: `A screenshot request that repeats. ${OURS}` });
export type ScheduleRecord = z.infer<typeof ScheduleRecord>;
