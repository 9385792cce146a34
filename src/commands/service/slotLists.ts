/** The filter lists of SLOT_LISTS in a controller. */
import { type Config, ConfigError } from '../../config.ts';
import { createGuardedFetch } from '../../egress/fetch.ts';
import { createGuard } from '../../egress/guard.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { deleteBundle, keepOnlyLists } from '../../store/slotLists/slotLists.ts';
import type { EgressOptions } from './controllerOptions.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface RunningSlotLists {
  stop(): Promise<void>;
}

const FETCH = { timeoutMs: 60_000, maxBytes: 32 * 1024 * 1024 };
/** Captures that start before the lists are compiled work without them. A slow address must not delay the work for longer. */
const FIRST_UPDATE_MS = 10_000;

/** Checks the files before a process does any work. @throws ConfigError if one cannot be read or is no filter list. */
export async function checkSlotListFiles({ SLOT_LISTS: sources }: Config): Promise<void> {
  const files = sources.filter((source) => !/^https?:/i.test(source));
  if (files.length === 0) return;
  const { readListFiles } = await import('../../slotLists/readFiles.ts');
  try {
    readListFiles(files);
  } catch (error) {
    throw new ConfigError(`SLOT_LISTS: ${errorMessage(error)}`, { cause: error });
  }
}

/** Only the leader calls this. The library loads only if there are lists. */
export async function startSlotLists(
  { config, store, log }: ServiceContext,
  egress: EgressOptions,
): Promise<RunningSlotLists> {
  const sources = [...new Set(config.SLOT_LISTS)];
  if (sources.length === 0) {
    await deleteBundle(store.db);
    await keepOnlyLists(store.db, []);
    return { stop: async () => undefined };
  }
  const { SlotListUpdates } = await import('../../controller/slotListUpdates.ts');
  const fetch = createGuardedFetch({ guard: createGuard(egress), ...FETCH });
  const updates = new SlotListUpdates({ store, sources, fetch, log: log.child({ part: 'slot lists' }) });
  await updates.start(FIRST_UPDATE_MS);
  return updates;
}
