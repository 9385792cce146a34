import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { insertImages } from '../../core/sets/images.ts';
import type { Queryable, Store } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { sentFiles } from '../../fileReader/fileReader.ts';
import { moduleBeside } from '../../lib/moduleBeside.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { drawLogo } from './drawLogo.ts';

const DRAW_LOGO = {
  module: moduleBeside(import.meta.url, './drawLogo'),
  run: 'drawLogo',
  seconds: 10,
  fault: (limit: string) => invalid({ body: [`${limit} to draw: simplify it, or send it as a PNG.`] }),
};

export const MAX_LOGO_BYTES = 1024 * 1024;

interface LogoStores {
  readonly store: Pick<Store, 'db'>;
  readonly artifacts: ArtifactStore;
}

/**
 * Stores the file as a PNG, and nothing else of it.
 * @param save stores the token of the PNG. @throws Failure (422) if it is no picture of an accepted format, Failure (429)
 */
export async function replaceLogo(
  { store: { db }, artifacts }: LogoStores,
  { organizationId, file }: { readonly organizationId: string; readonly file: Buffer },
  save: (tx: Queryable, token: string) => Promise<void>,
): Promise<void> {
  const { png, width, height } = await sentFiles.read<typeof drawLogo>(organizationId, DRAW_LOGO, () => file);
  const key = `logos/${randomUUID()}.png`;
  const image = { organizationId, key, sha256: sha256Of(png), bytes: png.length, width, height };
  await db.transaction().execute(async (tx) => {
    const [token = ''] = await insertImages(tx, [image]);
    await save(tx, token);
    // At the end, so that no file stays if there is no such owner.
    await artifacts.put(key, png, 'image/png');
  });
}
