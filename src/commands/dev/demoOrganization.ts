import { addKey, addOrganization } from '../../core/organizations/operator.ts';
import { findOrganization, webhookSecretOf } from '../../core/organizations/organizations.ts';
import type { Database } from '../../db/database.ts';
import { type DevState, writeDevState } from './devState.ts';

const ORGANIZATION = 'demo';

/** Creates the organization at the first start. The data folder keeps its key, so that each start prints the same key. */
export async function ensureDemoOrganization(
  db: Database,
  { folder, state }: { folder: string; state: DevState },
): Promise<NonNullable<DevState['demo']>> {
  const organization = await findOrganization(db, ORGANIZATION);
  // The webhook secret may have been rotated since the last start.
  if (organization !== undefined && state.demo !== undefined) {
    writeDevState(folder, state);
    return { ...state.demo, webhook_secret: webhookSecretOf(db, organization) };
  }
  const demo =
    organization === undefined
      ? await addOrganization(db, ORGANIZATION)
      : await createReplacementKey(db, webhookSecretOf(db, organization));
  writeDevState(folder, { ...state, demo: { ...demo } });
  return demo;
}

/** Creates another key if a start was killed after it created the organization and before it stored the key. */
async function createReplacementKey(db: Database, webhook_secret: string): Promise<NonNullable<DevState['demo']>> {
  const { api_key } = await addKey(db, ORGANIZATION, { name: 'tearsheet dev' });
  return { organization: ORGANIZATION, api_key, webhook_secret };
}
