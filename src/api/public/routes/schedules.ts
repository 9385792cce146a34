import type { z } from 'zod';
import { NEW_SCREENSHOTS } from '../../../contract/examples.ts';
import { Faults } from '../../../contract/faults.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { newSchedule, parseNewSchedule, ScheduleChange, ScheduleRecord } from '../../../contract/schedules.ts';
import { runNow } from '../../../core/schedules/runs.ts';
import { scheduleRecord } from '../../../core/schedules/scheduleJson.ts';
import { listSchedules } from '../../../core/schedules/scheduleQueries.ts';
import { changeSchedule, createSchedule, removeSchedule, requireSchedule } from '../../../core/schedules/schedules.ts';
import { invalid } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import { bodyInParts, changes, failure, jsonBody, list, removes, route } from './operation.ts';

const EXAMPLE = { name: 'Spring, each weekday', rule: { start: '08:00', end: '10:00' }, time_zone: 'Europe/Berlin' };

/** @param request the schema of screenshot requests. */
export const scheduleRoutes = (request: z.ZodObject): readonly Route[] => [
  route('get /schedules', 'read', {
    ...list('listSchedules', 'List schedules, oldest first', ListQuery, ScheduleRecord),
    cost: COST.heavy,
    handler: (call, { store }) =>
      listAnswer(
        call.query,
        (page) => listSchedules(store.db, rangeOf(call), page),
        (row) => scheduleRecord(row, call.place),
      ),
  }),
  route('post /schedules', 'write', {
    cost: COST.heavy,
    operationId: 'createSchedule',
    summary: 'Create a schedule',
    description:
      'Repeats a screenshot request during a flight. Each run creates an ordinary set and counts towards the quotas.',
    idempotent: true,
    body: bodyInParts(newSchedule(request), { ...EXAMPLE, request: NEW_SCREENSHOTS }),
    status: 201,
    answer: ScheduleRecord,
    responses: {
      '409': failure('The organization has too many schedules, or the Idempotency-Key is in use.'),
    },
    handler: (call, services) => {
      const { organizationId, actor, place } = call;
      const faults = new Faults();
      const parsed = parseNewSchedule(call.body.value, faults);
      if (parsed === undefined) throw invalid(faults.errors);
      return answerOnce(services.store.db, { call, endpoint: 'schedules' }, async (tx) =>
        jsonResponse(
          201,
          scheduleRecord(await createSchedule(tx, { ...parsed, organizationId, actor }, services), place),
        ),
      );
    },
  }),
  route('get /schedules/{id}', 'read', {
    operationId: 'getSchedule',
    summary: 'Read a schedule',
    answer: ScheduleRecord,
    failures: [410],
    handler: async (call, { store: { db } }) =>
      jsonResponse(200, scheduleRecord(await requireSchedule(db, refOf(call)), call.place)),
  }),
  route('patch /schedules/{id}', 'write', {
    operationId: 'changeSchedule',
    summary: 'Change, pause or resume a schedule',
    description: 'The request cannot be changed: create a new schedule instead.',
    body: jsonBody(ScheduleChange, { paused: true }),
    answer: ScheduleRecord,
    failures: [410],
    handler: changes(
      (tx, call, { queue }) => changeSchedule(tx, refOf(call), { given: call.input, actor: call.actor, queue }),
      (row, call) => scheduleRecord(row, call.place),
    ),
  }),
  route('post /schedules/{id}/runs', 'write', {
    cost: COST.heavy,
    operationId: 'runSchedule',
    summary: 'Run a schedule now',
    description:
      'Creates a set at once, beside the planned runs, also of a paused schedule. `last_run` names it. 409 while the pictures of the last run are being taken.',
    idempotent: true,
    status: 202,
    answer: ScheduleRecord,
    failures: [409, 410],
    handler: (call, services) =>
      answerOnce(services.store.db, { call, endpoint: 'schedules' }, async (tx) => {
        const run = { ref: refOf(call), actor: call.actor };
        return jsonResponse(202, scheduleRecord(await runNow(tx, run, services), call.place));
      }),
  }),
  route('delete /schedules/{id}', 'write', {
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Its sets stay. A second request changes nothing.',
    answer: 'Deleted.',
    handler: removes((tx, call) => removeSchedule(tx, refOf(call), call.actor)),
  }),
];
