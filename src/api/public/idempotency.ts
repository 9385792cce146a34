import { type IdempotentCall, keepAnswer, takeKey } from '../../core/requests/idempotency.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { codePoints } from '../../domain/text.ts';
import type { Call, JsonResponse } from './endpoint.ts';

const KEY_MAX = 255;

interface Once {
  readonly call: Call;
  /** Each endpoint has its own keys. */
  readonly endpoint: string;
  /** The answer has a secret, so it is not kept, and a repeated request gets 409. */
  readonly secret?: boolean;
}

/** Runs `work` in one transaction. With an `Idempotency-Key` it runs once as long as the answer is kept, and a repeated request gets the same response. */
export async function answerOnce(
  db: Database,
  { call, endpoint, secret = false }: Once,
  work: (tx: Queryable) => Promise<JsonResponse>,
): Promise<JsonResponse> {
  const key = idempotencyKey(call);
  if (key === undefined) return db.transaction().execute(work);
  const idempotent: IdempotentCall = {
    organizationId: call.organizationId,
    callerId: call.keyId,
    endpoint,
    key,
    bodySha256: call.body.sha256,
  };
  return db.transaction().execute(async (tx) => {
    const kept = await takeKey(tx, idempotent);
    if (kept !== undefined) {
      call.response.set('Idempotency-Replayed', 'true');
      return kept;
    }
    const answer = await work(tx);
    await keepAnswer(tx, idempotent, secret ? { status: null, text: idIn(answer) } : answer);
    return answer;
  });
}

function idIn({ text }: JsonResponse): string {
  const { id }: { readonly id: string } = JSON.parse(text);
  return id;
}

function idempotencyKey({ request }: Call): string | undefined {
  const sent = request.headersDistinct['idempotency-key'];
  if (sent === undefined) return undefined;
  const [key = ''] = sent;
  if (sent.length > 1 || key === '' || codePoints(key) > KEY_MAX) {
    throw invalid({ 'idempotency-key': [`must be sent once, with 1 to ${KEY_MAX} characters.`] });
  }
  return key;
}
