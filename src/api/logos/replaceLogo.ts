import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { changeLogo } from '../../core/organizations/settings.ts';
import { insertImages } from '../../core/sets/images.ts';
import type { Database } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { rasterizeLogo } from './rasterizeLogo.ts';

export const MAX_LOGO_BYTES = 1024 * 1024;

interface LogoStores {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

/** Stores the file as a PNG. @throws Failure (422) if it is no picture of an accepted format. */
export async function replaceLogo(
  { db, artifacts }: LogoStores,
  { organizationId, file }: { readonly organizationId: string; readonly file: Buffer },
  actor: Actor,
): Promise<void> {
  const { png, width, height } = await rasterizeLogo(file);
  const key = `logos/${randomUUID()}.png`;
  await artifacts.put(key, png, 'image/png');
  const image = { organizationId, key, sha256: sha256Of(png), bytes: png.length, width, height };
  await db.transaction().execute(async (tx) => {
    const [token = null] = await insertImages(tx, [image]);
    await changeLogo(tx, organizationId, token, actor);
  });
}
