/** Reads the form of a new request. Files become creatives as they arrive. */

import { type FormFields, readMultipartForm } from '../../api/uploads/multipart.ts';
import type { ReceiveFile } from '../../api/uploads/receiveUpload.ts';
import { uploadName } from '../../domain/uploads.ts';
import type { PagesOptions } from '../context.ts';
import { requireOwnForm } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { addUploaded, fileFault } from './creatives.ts';
import { CREATIVES_MAX, type Draft, readDraft } from './draft.ts';
import { FieldFaults } from './fieldFaults.ts';

const MEBIBYTE = 1024 ** 2;
/** A tag may have 1 MiB. */
const LIMITS = { files: 50, fields: 300, fieldBytes: 1.5 * MEBIBYTE, allFieldBytes: 4 * MEBIBYTE };

export interface ReceivedForm {
  /** With the ads of the files. */
  readonly draft: Draft;
  readonly action: string;
  /** Number of files that became creatives. */
  readonly added: number;
  /** Faults of files. The other files were added. */
  readonly faults: FieldFaults;
}

/** @throws Failure 400, 403, 413 */
export async function receiveForm(
  options: PagesOptions,
  { request, viewer }: ViewerRequest,
  receiveFile: ReceiveFile,
): Promise<ReceivedForm> {
  const faults = new FieldFaults();
  const ids: string[] = [];
  const requireOwn = (fields: FormFields) => {
    request.body = Object.fromEntries([...fields].map(([name, [value]]) => [name, value]));
    requireOwnForm(options, request, { viewer, needsWrite: true });
  };
  const fields = await readMultipartForm(request, LIMITS, async ({ name, chunks }, before) => {
    // A file of another site is not stored.
    requireOwn(before);
    // A browser sends one empty part if no file was chosen.
    if (name === '') return;
    if ((before.get('ad') ?? []).length + ids.length >= CREATIVES_MAX) {
      faults.add(
        'creatives',
        `${uploadName(name)} was not added: a request on this page has at most ${CREATIVES_MAX}.`,
      );
      return;
    }
    try {
      ids.push(await addUploaded(options, viewer, await receiveFile(viewer.organizationId, { name, chunks })));
    } catch (error) {
      faults.add('creatives', fileFault(uploadName(name), error));
    }
  });
  requireOwn(fields);
  const draft = readDraft(fields);
  const action = fields.get('action')?.at(-1) ?? 'check';
  return { draft: { ...draft, adIds: [...draft.adIds, ...ids] }, action, added: ids.length, faults };
}
