import { z } from 'zod';
import { NEW_SCREENSHOTS } from '../../../contract/examples.ts';
import { Faults } from '../../../contract/faults.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { newSchedule, parseNewSchedule, ScheduleChange, ScheduleRecord } from '../../../contract/schedules.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { scheduleRecord } from '../../../core/schedules/scheduleJson.ts';
import { listSchedules } from '../../../core/schedules/scheduleQueries.ts';
import { changeSchedule, createSchedule, removeSchedule, requireSchedule } from '../../../core/schedules/schedules.ts';
import { invalid } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { jsonResponse, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer } from '../listAnswer.ts';
import {
  BODY_FAILURES,
  emptyResponses,
  failure,
  idempotent,
  jsonBody,
  list,
  organization,
  responses,
  withId,
} from './operation.ts';

const TAGS = ['Schedules'];
const ofSchedule = { tags: TAGS, requestParams: { path: withId('schedule') } };
const EXAMPLE = { name: 'Spring, each weekday', rule: { start: '08:00', end: '10:00' }, time_zone: 'Europe/Berlin' };

/** @param request the schema of screenshot requests. */
export const scheduleRoutes = (request: z.ZodObject): readonly Route[] => [
  {
    method: 'get',
    path: '/schedules',
    scope: 'read',
    cost: COST.heavy,
    operation: { ...list('listSchedules', 'List schedules, oldest first', ListQuery, ScheduleRecord), tags: TAGS },
    handler: ({ request: { query: given }, organizationId, place }, { store }) => {
      const query = readOrFail(ListQuery, given);
      const filter = { organizationId, from: query.from, to: query.to };
      const record = (row: Parameters<typeof scheduleRecord>[0]) => scheduleRecord(row, place);
      return listAnswer(query, (page) => listSchedules(store.db, filter, page), record);
    },
  },
  {
    method: 'post',
    path: '/schedules',
    scope: 'write',
    cost: COST.heavy,
    operation: {
      operationId: 'createSchedule',
      summary: 'Create a schedule',
      description: `Repeats a screenshot request during a flight. Each run makes an ordinary set and counts for the quotas. ${OURS}`,
      tags: TAGS,
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(newSchedule(request), { ...EXAMPLE, request: NEW_SCREENSHOTS }),
      responses: {
        ...responses(201, ScheduleRecord, BODY_FAILURES),
        '409': failure('The organization has too many schedules, or the Idempotency-Key is in use.'),
      },
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
  },
  {
    method: 'get',
    path: '/schedules/{id}',
    scope: 'read',
    operation: {
      ...ofSchedule,
      operationId: 'getSchedule',
      summary: 'Read a schedule',
      description: OURS,
      responses: responses(200, ScheduleRecord, [410]),
    },
    handler: async (call, { store: { db } }) =>
      jsonResponse(200, scheduleRecord(await requireSchedule(db, refOf(call)), call.place)),
  },
  {
    method: 'patch',
    path: '/schedules/{id}',
    scope: 'write',
    operation: {
      ...ofSchedule,
      operationId: 'changeSchedule',
      summary: 'Change, pause or resume a schedule',
      description: `The request cannot be changed: create another schedule. ${OURS}`,
      requestBody: jsonBody(ScheduleChange, { paused: true }),
      responses: responses(200, ScheduleRecord, [...BODY_FAILURES, 410]),
    },
    handler: async (call, { store, queue }) => {
      const change = { given: readOrFail(ScheduleChange, call.body.value), actor: call.actor, queue };
      const row = await store.db.transaction().execute((tx) => changeSchedule(tx, refOf(call), change));
      return jsonResponse(200, scheduleRecord(row, call.place));
    },
  },
  {
    method: 'delete',
    path: '/schedules/{id}',
    scope: 'write',
    operation: {
      ...ofSchedule,
      operationId: 'deleteSchedule',
      summary: 'Delete a schedule',
      description: `Its sets stay. A second request changes nothing. ${OURS}`,
      responses: emptyResponses('Deleted.'),
    },
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => removeSchedule(tx, refOf(call), call.actor));
      return NO_CONTENT;
    },
  },
];
