/** Loads the compiled filter lists. They are only evidence, so a capture that cannot load them works without them. */
import type { Attempt } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import type { SlotLists } from '../../slotLists/slotLists.ts';
import type { ProtocolClient } from './protocolClient.ts';

/** Never rejects. */
export async function loadSlotLists(
  { slot_lists: wanted, pages }: Attempt,
  { client, log, signal }: { client: Pick<ProtocolClient, 'slotLists'>; log: Log; signal: AbortSignal },
): Promise<SlotLists | undefined> {
  if (wanted === undefined || wanted === null || pages.length === 0) return undefined;
  try {
    const [packed, { BUNDLE_FORMAT }, { openSlotLists }] = await Promise.all([
      client.slotLists(wanted.sha256, signal),
      import('../../slotLists/compile.ts'),
      import('../../slotLists/slotLists.ts'),
    ]);
    if (wanted.format === BUNDLE_FORMAT) return await openSlotLists(packed);
    log.warn(
      { format: wanted.format, own: BUNDLE_FORMAT },
      'the filter lists were compiled by another release; slots are found without them',
    );
  } catch (error) {
    if (!signal.aborted)
      log.warn({ reason: errorMessage(error) }, 'the filter lists could not be loaded; slots are found without them');
  }
  return undefined;
}
