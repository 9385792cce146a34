import type { Queryable } from './database.ts';

/** Lets transactions that count rows of the organization before they add one wait for each other, so that a limit holds. */
export async function lockOrganizationById(tx: Queryable, id: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}
