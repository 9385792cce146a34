/** Placements for tests of the pages, with two slots for 300×250 and one that is too small. */
import { randomUUID } from 'node:crypto';
import { resolvePlacement } from '../../../src/core/jobs/placementResults.ts';
import { insertPlacement } from '../../../src/core/requests/acceptPlacement.ts';
import { type PagesServer, seedPicture } from './pagesServer.ts';

const SIZE = { width: 300, height: 250 };

const candidate = (y: number, problem: string | null) => ({
  element: `#slot-${y}`,
  box: { x: 10, y, ...SIZE },
  size: SIZE,
  score: 1,
  likelihood: 0.5,
  evidence: [],
  reasons: [],
  problem,
});

/** Plays the capture program. */
export async function takePlacement({ store, organizationId }: PagesServer, id: string): Promise<void> {
  const candidates = [candidate(5, null), candidate(400, null), candidate(700, 'too small for 300×250')];
  const sizes = [{ ...SIZE, chosen: 1, candidates, candidates_found: 3 }];
  const image_token = await seedPicture(store.db, organizationId, '1440x900');
  const record = { final_url: 'https://news.example/', page: { width: 1440, height: 900 }, sizes };
  await resolvePlacement(store.db, id, {
    status: 'uploaded',
    reason: null,
    image_token,
    captured_at: new Date(),
    record: JSON.stringify(record),
  });
}

/** @returns the id of a placement that was taken. */
export async function seedPlacement(server: PagesServer): Promise<string> {
  const { id } = await insertPlacement(server.store.db, {
    id: randomUUID(),
    organization_id: server.organizationId,
    site_url: 'news.example',
    device: 'desktop',
    sizes: JSON.stringify([SIZE]),
  });
  await takePlacement(server, id);
  return id;
}
