/** Checks of a request body that need the database. */
import type { Faults } from '../../contract/faults.ts';
import type { ParsedSubscriber } from '../../contract/parseParts.ts';
import type { Queryable } from '../../store/database/database.ts';
import { findS3Connector } from '../../store/organizations/connectors.ts';

export function addUnknownCampaignFault(faults: Faults): void {
  faults.add('campaign.id', 'is not the id of a campaign of this organization.');
}

export function wantsS3(subscribers: readonly ParsedSubscriber[]): boolean {
  return subscribers.some(({ s3 }) => s3 !== undefined);
}

interface Subscribed {
  readonly organizationId: string;
  readonly subscribers: readonly ParsedSubscriber[];
  readonly faults: Faults;
}

export async function addMissingConnectorFaults(
  db: Queryable,
  { organizationId, subscribers, faults }: Subscribed,
): Promise<void> {
  if (!wantsS3(subscribers) || (await findS3Connector(db, organizationId)) !== undefined) return;
  for (const { path, s3 } of subscribers) {
    if (s3 !== undefined) {
      faults.add(
        `${path}.s3`,
        'needs an S3 connector, which this organization does not have: ask the operator to set one.',
      );
    }
  }
}
