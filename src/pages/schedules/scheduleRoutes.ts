/** Routes of the pages of schedules. */

import { COST } from '../../api/limits/costs.ts';
import { readOrFail } from '../../api/public/endpoint.ts';
import { Faults } from '../../contract/faults.ts';
import { parseNewSchedule, ScheduleChange } from '../../contract/schedules.ts';
import { runNow } from '../../core/schedules/runs.ts';
import { changeSchedule, createSchedule, removeSchedule } from '../../core/schedules/schedules.ts';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { answerForm, type FormState } from '../parts/formFields.ts';
import { formField } from '../parts/forms.ts';
import { bodyOf } from '../parts/formTable.ts';
import { idOf, type PageResult, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { newSchedulePage, SCHEDULE } from './newSchedulePage.ts';
import { schedulePage, schedulesPage } from './schedulePages.ts';

export function addScheduleRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { queue } = options;
  const { db } = options.store;
  const path = '/o/:slug/schedules';
  pages.get(path, (given) => schedulesPage(options, given), { cost: COST.heavy });
  pages.get(`${path}/new`, (given) =>
    newSchedulePage(options, given, { setId: String(given.request.query['set'] ?? '') }),
  );
  pages.post(
    path,
    (given) => {
      const { request, viewer, actor, paths } = given;
      const run = async () => {
        const faults = new Faults();
        const parsed = parseNewSchedule(bodyOf(SCHEDULE, request), faults);
        if (parsed === undefined) throw invalid(faults.errors);
        const created = { ...parsed, organizationId: viewer.organizationId, actor };
        const { id } = await db.transaction().execute((tx) => createSchedule(tx, created, options));
        return redirectTo(given, paths.schedule(id), 'saved');
      };
      const again = (form: FormState) => newSchedulePage(options, given, { setId: formField(request, 'set'), form });
      return answerForm<PageResult, PageResult>(given, { run, again });
    },
    { fields: 30, cost: COST.heavy },
  );
  pages.get(`${path}/:id`, (given) => schedulePage(options, idOf(given.request), given));
  const act = async (given: ViewerRequest, run: (tx: Queryable) => Promise<unknown>) => {
    await db.transaction().execute(run);
    return redirectTo(given, given.paths.schedule(idOf(given.request)), 'saved');
  };
  const change = (given: ViewerRequest, changed: Parameters<typeof changeSchedule>[2]['given']) =>
    act(given, (tx) => changeSchedule(tx, refOf(given), { given: changed, actor: given.actor, queue }));
  for (const action of ['pause', 'resume'] as const)
    pages.post(`${path}/:id/${action}`, (given) => change(given, { paused: action === 'pause' }));
  pages.post(
    `${path}/:id/change`,
    (given) => {
      const { request } = given;
      const run = async () => change(given, readOrFail(ScheduleChange, bodyOf(SCHEDULE, request)));
      const again = (form: FormState) => schedulePage(options, idOf(request), { ...given, form });
      return answerForm<PageResult, PageResult>(given, { run, again });
    },
    { fields: 30 },
  );
  pages.post(
    `${path}/:id/run`,
    (given) => act(given, (tx) => runNow(tx, { ref: refOf(given), actor: given.actor }, options)),
    { cost: COST.heavy },
  );
  pages.post(`${path}/:id/delete`, async (given) => {
    await db.transaction().execute((tx) => removeSchedule(tx, refOf(given), given.actor));
    return redirectTo(given, given.paths.schedules, 'schedule_deleted');
  });
}
