/** Requests exports and ends them. The file itself is built by `exports/`. */
import type { Database, Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { Enqueuer } from '../../db/queue.ts';
import {
  type ExportAudience,
  type ExportOptions,
  MAX_DOCUMENT_PICTURES,
  partsOf,
  safeWord,
} from '../../domain/exports.ts';
import { conflict, Failure, invalid, unknownId } from '../../domain/failure.ts';
import { isTerminalSet } from '../../domain/states.ts';
import { sleep } from '../../lib/sleep.ts';
import { kindOf, type Owner } from '../sets/shownVersions.ts';
import { type ExportSubject, readExportSubject } from './exportContent.ts';
import { countOpenExports, type ExportRow, findExport, insertExport, KEPT_MS } from './exportQueries.ts';

/** Characters of a campaign's name in the name of a file. */
const MAX_CAMPAIGN_CHARACTERS = 60;

/** Exports of one organization that wait or are built at the same time. Those for share links leave places for its own. */
const MAX_OPEN_EXPORTS = { organization: 20, shared: 6 } as const;
/** A file that is requested again stays for at least this long. */
const EXTENDED_BELOW_MS = 86_400_000;
const LOOK_AGAIN_MS = 250;

export interface ExportRequest extends Owner {
  readonly organizationId: string;
  readonly options: ExportOptions;
}

/**
 * Finds the export with this content, or stores one together with the queue entry that builds it.
 * @throws Failure: 404 for an unknown set or campaign, 409 without pictures or while some are being taken, 422 for a part that
 *   it does not have, 429 if too many exports of the organization are open.
 */
export async function requestExport(db: Database, request: ExportRequest, queue: Enqueuer): Promise<ExportRow> {
  return db.transaction().execute(async (tx) => {
    const subject = await readExportSubject(tx, request);
    if (subject === undefined) throw unknownId();
    requirePictures(subject, request);
    await lockOrganizationById(tx, request.organizationId);
    const { organizationId, options } = request;
    const { row, isNew } = await insertExport(tx, request, {
      organization_id: organizationId,
      fingerprint: subject.fingerprint,
      total: picturesOf(subject, options),
      parts: partsOf(options.format, subject.pictures),
      file_name: exportFileName(subject, options),
    });
    if (!isNew) return keepLonger(tx, row);
    await requireFreePlace(tx, { organizationId, audience: options.audience });
    await queue.enqueue(tx, 'export', { export_id: row.id });
    return row;
  });
}

function requirePictures(
  { statuses, pictures, unknown: [unknown] }: ExportSubject,
  { options: { format, part, audience }, ...owner }: ExportRequest,
): void {
  const what = kindOf(owner);
  const running = statuses.find((status) => status !== 'in_review' && !isTerminalSet(status));
  if (running !== undefined) {
    const of = what === 'set' ? '' : ' for one of its sets';
    throw conflict('status', `is ${running}${of}: the ${what} can be exported when all its screenshots are finished.`);
  }
  // As on the shared page.
  if (audience === 'shared' && statuses.includes('rejected')) throw conflict('status', 'is rejected.');
  // A picture of a link may be hidden for now.
  if (unknown !== undefined && audience === 'organization')
    throw invalid({ screenshots: [`has the id ${unknown}, but the ${what} has no such screenshot.`] });
  if (pictures === 0) throw conflict('screenshots', 'have no picture, so there is nothing to export.');
  const parts = partsOf(format, pictures);
  if (part > parts) {
    throw invalid({ part: [`must be at most ${parts}: the ${what} has ${figure(pictures)} pictures.`] });
  }
}

/** The pictures of the part that is exported. */
function picturesOf({ pictures }: ExportSubject, { format, part }: ExportOptions): number {
  if (format === 'zip') return pictures;
  return Math.min(MAX_DOCUMENT_PICTURES, pictures - (part - 1) * MAX_DOCUMENT_PICTURES);
}

async function requireFreePlace(
  tx: Queryable,
  given: { organizationId: string; audience: ExportAudience },
): Promise<void> {
  const most = MAX_OPEN_EXPORTS[given.audience];
  if ((await countOpenExports(tx, given)) <= most) return;
  throw new Failure({
    status: 429,
    code: 'too_many_exports',
    errors: { exports: [`Only ${most} exports of an organization can be open: wait until one is ready.`] },
    headers: { 'Retry-After': '10' },
  });
}

async function keepLonger(tx: Queryable, row: ExportRow): Promise<ExportRow> {
  if (row.status !== 'ready' || Number(row.expires_at) - Date.now() > EXTENDED_BELOW_MS) return row;
  const expires_at = new Date(Date.now() + KEPT_MS);
  await tx.updateTable('exports').set({ expires_at }).where('id', '=', row.id).execute();
  return { ...row, expires_at };
}

/** @returns the export when it is ready or failed, or as it is when the time is over. */
export async function waitForExport(
  db: Database,
  requested: ExportRow,
  { waitMs, isCanceled }: { waitMs: number; isCanceled: () => boolean },
): Promise<ExportRow> {
  const end = performance.now() + waitMs;
  let row = requested;
  while ((row.status === 'pending' || row.status === 'building') && performance.now() < end && !isCanceled()) {
    await sleep(LOOK_AGAIN_MS);
    row = (await findExport(db, { id: row.id })) ?? row;
  }
  return row;
}

const figure = (value: number) => value.toLocaleString('en');

/** @returns for example `Spring-2026-11-21.pptx`, or `Spring-2026-11-21-part-2.pptx` if there are several parts. */
function exportFileName(
  { campaign, createdAt, pictures }: Pick<ExportSubject, 'campaign' | 'createdAt' | 'pictures'>,
  { format, part, frame }: Pick<ExportOptions, 'format' | 'part' | 'frame'>,
): string {
  const parts = partsOf(format, pictures) > 1 ? [`part-${part}`] : [];
  const framed = frame === 'none' ? [] : [frame];
  const name = safeWord(campaign, MAX_CAMPAIGN_CHARACTERS) || 'placement-previews';
  return `${[name, createdAt.toISOString().slice(0, 10), ...framed, ...parts].join('-')}.${format}`;
}
