/** Routes that take pictures of a set, or one of them, again. */
import type { Request, Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { Failure } from '../../domain/failure.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField, redirectPath, requireOwnForm } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { formBody, idOf, type RouteTools } from '../routing.ts';
import { NO_CHANGES, type RetakeFields } from './retakeForm.ts';
import { type RetakeChoice, retakeScreenshot, retakeSet, screenshotRetakePage, setRetakePage } from './retakes.ts';
import { readSetFacts } from './setPage.ts';

const WHAT = ['failures', 'all', 'duplicate'] as const;

export function addRetakeRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const body = formBody();
  const setPath = '/o/:slug/screenshot_sets/:id/retake';
  router.get(
    setPath,
    handlers.page(
      'organization',
      async ({ request, viewer, paths }) => {
        const facts = await factsOf(options, { request, viewer });
        return facts && setRetakePage(facts, choiceOf({ body: {} }), { viewer, paths, fields: NO_CHANGES });
      },
      COST.heavy,
    ),
  );
  router.post(
    setPath,
    body,
    handlers.page(
      'organization',
      async (pageRequest) => {
        const { request, viewer, paths } = pageRequest;
        requireOwnForm(options, request, { viewer, needsWrite: true });
        const facts = await factsOf(options, pageRequest);
        if (facts === undefined) return undefined;
        const [choice, fields] = [choiceOf(request), fieldsOf(request)];
        return answer(pageRequest, {
          act: async () => {
            const newSet = await retakeSet(options, facts, { choice, fields });
            return paths.set(choice.what === 'duplicate' ? newSet : facts.set.id);
          },
          again: ({ errors, status }) => setRetakePage(facts, choice, { viewer, paths, fields, errors, status }),
        });
      },
      COST.heavy,
    ),
  );
  router.post(
    '/o/:slug/screenshots/:id/retake',
    body,
    handlers.page('organization', (pageRequest) => {
      const { request, viewer, paths } = pageRequest;
      requireOwnForm(options, request, { viewer, needsWrite: true });
      const fields = fieldsOf(request);
      const next = redirectPath(paths, formField(request, 'next'));
      return answer(pageRequest, {
        act: async () => {
          await retakeScreenshot(options, viewer, { screenshotId: idOf(request), fields });
          return next;
        },
        again: ({ errors, status }) =>
          screenshotRetakePage(idOf(request), next, { viewer, paths, fields, errors, status }),
      });
    }),
  );
}

function factsOf(options: PagesOptions, { request, viewer }: Pick<ViewerRequest, 'request' | 'viewer'>) {
  return readSetFacts(options, { id: idOf(request), organizationId: viewer.organizationId });
}

interface Attempt {
  /** @returns the page to go to. */
  act(): Promise<string>;
  /** The form again, with the faults. */
  again(failure: Failure): ResultsPage;
}

async function answer({ response }: ViewerRequest, { act, again }: Attempt): Promise<ResultsPage | 'sent'> {
  try {
    response.redirect(303, await act());
    return 'sent';
  } catch (error) {
    if (error instanceof Failure && error.status !== 404) return again(error);
    throw error;
  }
}

function choiceOf(request: Pick<Request, 'body'>): RetakeChoice {
  const field = (name: string) => formField(request, name);
  return {
    what: WHAT.find((what) => what === field('which')) ?? 'failures',
    status: field('status'),
    site: field('only_site'),
    device: field('only_device'),
  };
}

function fieldsOf(request: Request): RetakeFields {
  const field = (name: string) => formField(request, name);
  return { url: field('url'), device: field('device'), selector: field('selector'), slotIndex: field('slot_index') };
}
