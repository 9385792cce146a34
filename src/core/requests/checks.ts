/** Checks of a request body that need the database. */
import { type Faults, joinPath } from '../../contract/faults.ts';
import type { ParsedAd, ParsedEntry, ParsedSubscriber } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import { isPageFile } from '../../domain/uploads.ts';
import { listS3Connectors } from '../buckets/connectorQueries.ts';
import { lockUploadFiles } from '../uploads/uploadQueries.ts';

export function addUnknownCampaignFault(faults: Faults): void {
  faults.add('campaign.id', 'is not the id of a campaign of this organization.');
}

/** Names of uploaded files by the ids of the uploads. */
export type UploadNames = ReadonlyMap<string, string>;

/** A new ad and the path of its fields. */
export interface AdAtPath {
  readonly ad: ParsedAd | undefined;
  /** '' in create-ad. */
  readonly path: string;
}

interface NamedUploads {
  readonly organizationId: string;
  readonly newAds: readonly AdAtPath[];
  /** Their screenshots may name files as pages. */
  readonly entries?: readonly Pick<ParsedEntry, 'screenshots'>[];
  readonly faults: Faults;
}

/** Locks the uploads that these new ads and screenshots name, and adds a fault for each one that cannot be used. @returns their file names. */
export async function lockUploads(
  tx: Queryable,
  { organizationId, newAds, entries = [], faults }: NamedUploads,
): Promise<UploadNames> {
  const named = newAds.flatMap(({ ad, path }) =>
    ad?.content?.media.type === 'upload' ? [{ id: ad.content.media.content, path }] : [],
  );
  const pages = entries
    .flatMap(({ screenshots }) => screenshots)
    .flatMap(({ path = '', options: { givenPage: id, slot } }) => (id === null ? [] : [{ id, path, slot }]));
  const files = await lockUploadFiles(tx, { ids: [...named, ...pages].map(({ id }) => id), organizationId });
  for (const { id, path } of named) {
    const file = files.get(id);
    if (file === undefined) faults.add(joinPath(path, 'media.content'), NO_UPLOAD);
    else if (file.format === 'mhtml') faults.add(joinPath(path, 'media.content'), IS_PAGE);
  }
  for (const { id, path, slot } of pages) {
    const file = files.get(id);
    const at = joinPath(path, 'site.page.upload_id');
    if (file === undefined) faults.add(at, NO_UPLOAD);
    else if (!isPageFile(file.format, file.content_type)) faults.add(at, `${NO_PAGE} ${file.content_type}.`);
    else if (file.format === 'image' && !(slot !== null && 'area' in slot))
      faults.add(joinPath(path, 'options.slot'), NO_AREA);
  }
  return new Map([...files.values()].map(({ id, name }) => [id, name]));
}

const NO_UPLOAD = 'is not the id of an upload of this organization, or the upload has expired: upload the file again.';
const IS_PAGE =
  'is the id of a saved page (MHTML), which is not a creative: name it in site.page.upload_id of a screenshot.';
const NO_PAGE =
  'must be the id of a screenshot (PNG, JPEG, WebP) or of a saved page (MHTML, HTML, or a zip of HTML with its files), but the file is';
const NO_AREA =
  'must have an area, because a screenshot of a page has no slots: give options.slot.area with x and y in CSS pixels of the page.';

interface Subscribed {
  readonly organizationId: string;
  readonly subscribers: readonly ParsedSubscriber[];
  readonly faults: Faults;
}

/** Adds a fault for each bucket whose connector the organization does not have. */
export async function addMissingConnectorFaults(
  db: Queryable,
  { organizationId, subscribers, faults }: Subscribed,
): Promise<void> {
  if (subscribers.every(({ s3 }) => s3 === undefined)) return;
  const names = (await listS3Connectors(db, organizationId)).map(({ name }) => name);
  for (const { path, s3 } of subscribers) {
    if (s3 === undefined || names.includes(s3.connector ?? DEFAULT_CONNECTOR)) continue;
    if (s3.connector !== null)
      faults.add(`${path}.s3.connector`, 'is not the name of a connector of this organization.');
    else faults.add(`${path}.s3`, names.length === 0 ? NO_CONNECTOR : NO_DEFAULT);
  }
}

const NO_CONNECTOR = 'needs an S3 connector, which this organization does not have: set one with PUT …/connectors/s3.';
const NO_DEFAULT = `needs a connector: name one in s3.connector, because there is none named ${DEFAULT_CONNECTOR}.`;
