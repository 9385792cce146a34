/** Live changes of a list of sets: of the rows that it shows, and how many new sets there are. */
import { createHash } from 'node:crypto';
import { countSets, listSets } from '../../core/sets/listSets.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import type { LiveSource } from '../live.ts';
import { type SetListQuery, setFilterOf } from './setsPage.ts';

/** More are shown as "100+". */
const NEWER_MOST = 100;

/** @param since when the newest set was requested at the time that the page was made. */
export function listSource(
  { store: { db } }: PagesOptions,
  query: SetListQuery,
  { since, findViewer }: { since: Date | undefined; findViewer: () => Promise<Viewer | undefined> },
): LiveSource {
  let shown = new Set<string>();
  let organizationId = '';
  return {
    concerns: ({ set, organization, ...others }) =>
      organization === organizationId || (set === undefined ? isEmpty(others) : shown.has(set)),
    read: async () => {
      const viewer = await findViewer();
      if (viewer === undefined) return undefined;
      organizationId = viewer.organizationId;
      const filter = setFilterOf(query, organizationId);
      const { rows } = await listSets(db, filter, query.page);
      shown = new Set(rows.map(({ id }) => id));
      const state = rows.map(({ id, status, counts, cancel_requested_at }) => [
        id,
        status,
        counts,
        cancel_requested_at,
      ]);
      const newer =
        since === undefined ? 0 : await countSets(db, { ...filter, from: new Date(since.getTime() + 1) }, NEWER_MOST);
      const status = createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16);
      return { status, resolved: 0, total: 0, over: false, newer };
    },
  };
}

/** A notification without fields means that anything may have changed. */
const isEmpty = (change: object) => Object.keys(change).length === 0;
