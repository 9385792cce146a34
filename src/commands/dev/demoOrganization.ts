import type { Database } from '../../store/database/database.ts';
import { createKey } from '../../store/organizations/apiKeys.ts';
import { createOrganization, findOrganization } from '../../store/organizations/organizations.ts';
import { type DevState, writeDevState } from './devState.ts';

const ORGANIZATION = 'demo';

/** Made once; its key is kept in the data folder, so that each start prints the same. */
export async function demoOrganization(
  db: Database,
  { folder, state }: { folder: string; state: DevState },
): Promise<NonNullable<DevState['demo']>> {
  const organization = await findOrganization(db, ORGANIZATION);
  // The secret may have been rotated since.
  if (organization !== undefined && state.demo !== undefined)
    return { ...state.demo, webhook_secret: organization.webhook_secret };
  const demo =
    organization === undefined
      ? await createOrganization(db, { slug: ORGANIZATION })
      : await keyFor(db, organization.webhook_secret);
  writeDevState(folder, { ...state, demo: { ...demo } });
  return demo;
}

/** A start that was killed before it kept the key: the organization is there, and gets another key. */
async function keyFor(db: Database, webhook_secret: string): Promise<NonNullable<DevState['demo']>> {
  const { api_key } = await createKey(db, ORGANIZATION, { name: 'tearsheet dev' });
  return { organization: ORGANIZATION, api_key, webhook_secret };
}
