/** The source of a claimed creative. The bytes of an upload come from the artifact store, by a URL that the claim contains. */
import type { ClaimedCreative } from '../../contract/captureProtocol.ts';
import type { CreativeSource, FailedCreative } from '../creative/creative.ts';
import type { ProtocolClient } from './protocolClient.ts';
import { MissingFileError } from './transport.ts';

type RenderClaim = NonNullable<ClaimedCreative['creative']>;

/** @returns a failed creative if the artifact store does not have the file any more. @throws the errors of the protocol client. */
export async function readSource(
  { kind, content, file }: RenderClaim,
  { client, signal }: { client: Pick<ProtocolClient, 'downloadUpload'>; signal: AbortSignal },
): Promise<CreativeSource | FailedCreative> {
  if (kind !== 'upload') return { kind, content };
  // An API of an older release knows no uploads. The capture ends, and its retry reaches a newer one.
  if (file === null || file === undefined) throw new Error('The claim of an uploaded creative names no file.');
  try {
    return { kind: 'file', name: file.name, bytes: await client.downloadUpload(file, signal) };
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    return { status: 'not_found', reason: `The uploaded file "${file.name}" is not stored any more. Upload it again.` };
  }
}
