/** Checks of a request body that need the database. */
import { type Faults, joinPath } from '../../contract/faults.ts';
import type { ParsedAd, ParsedSubscriber } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import { listS3Connectors } from '../buckets/connectorQueries.ts';
import { lockUploadNames } from '../uploads/uploadQueries.ts';

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

/** Locks the uploads that these new ads name, and adds a fault for each one that cannot be used. @returns their file names. */
export async function lockUploads(
  tx: Queryable,
  { organizationId, newAds, faults }: { organizationId: string; newAds: readonly AdAtPath[]; faults: Faults },
): Promise<UploadNames> {
  const named = newAds.flatMap(({ ad, path }) =>
    ad?.content?.media.type === 'upload' ? [{ id: ad.content.media.content, path }] : [],
  );
  const names = await lockUploadNames(tx, { ids: named.map(({ id }) => id), organizationId });
  for (const { id, path } of named) {
    if (names.has(id)) continue;
    const text = 'is not the id of an upload of this organization, or the upload has expired: upload the file again.';
    faults.add(joinPath(path, 'media.content'), text);
  }
  return names;
}

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
