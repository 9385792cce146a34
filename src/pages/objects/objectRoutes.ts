/** Routes that change and delete ads, sets and campaigns. */
import type { Router } from 'express';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField, requireOwnForm, requireWrite } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { formBody, idOf, type RouteTools } from '../routing.ts';
import { redirectTo, tryForm } from '../settings/adminHandlers.ts';
import { type ManagedObject, OBJECT_TYPES, type ObjectType } from './managedObjects.ts';
import { changePage, deletePage } from './objectPages.ts';

const PATHS = [
  ['/o/:slug/ads/:id', OBJECT_TYPES.ad],
  ['/o/:slug/screenshot_sets/:id', OBJECT_TYPES.set],
  ['/o/:slug/campaigns/:id', OBJECT_TYPES.campaign],
] as const;

type Answer = ResultsPage | 'sent';

export function addObjectRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const { db } = options.store;
  const body = formBody();
  for (const [path, type] of PATHS) {
    /** Handles a request of a person who may write, for an object that exists. */
    const answer = (handle: (given: ViewerRequest, object: ManagedObject) => Promise<Answer> | Answer) =>
      handlers.page('organization', async (given) => {
        const { request, viewer } = given;
        if (request.method === 'POST') requireOwnForm(options, request, { viewer, needsWrite: true });
        else requireWrite(viewer);
        const object = await type.read(db, refOf(given));
        return object && handle(given, object);
      });
    const shown = (given: ViewerRequest, object: ManagedObject) => ({ ...given, type, object, id: refOf(given).id });
    router.get(
      `${path}/change`,
      answer((given, object) => changePage(shown(given, object), { text: object.text })),
    );
    router.post(
      `${path}/change`,
      body,
      answer((given, object) => {
        const text = formField(given.request, type.field.name).replaceAll('\r\n', '\n');
        return tryForm<Answer>(
          () => change(options, type, given, text),
          (errors, status) => changePage(shown(given, object), { text, errors, status }),
        );
      }),
    );
    router.get(
      `${path}/delete`,
      answer((given, object) => deletePage(shown(given, object))),
    );
    router.post(
      `${path}/delete`,
      body,
      answer((given, object) =>
        tryForm<Answer>(
          () => remove(options, type, given),
          (errors, status) => deletePage(shown(given, object), { errors, status }),
        ),
      ),
    );
  }
}

const refOf = ({ request, viewer: { organizationId } }: ViewerRequest) => ({ id: idOf(request), organizationId });

async function change({ store }: PagesOptions, type: ObjectType, given: ViewerRequest, text: string): Promise<'sent'> {
  const ref = refOf(given);
  await store.db.transaction().execute((tx) => type.change(tx, ref, { text, actor: given.actor }));
  return redirectTo(given, type.pathOf(given.paths, ref.id), 'saved');
}

async function remove({ store }: PagesOptions, type: ObjectType, given: ViewerRequest): Promise<'sent'> {
  await store.db.transaction().execute((tx) => type.remove(tx, refOf(given), given.actor));
  return redirectTo(given, type.listOf(given.paths), 'deleted');
}
