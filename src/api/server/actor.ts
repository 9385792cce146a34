import type { Request, Response } from 'express';
import type { Actor, ActorType } from '../../domain/auditLog.ts';
import { callerAddress } from './callerAddress.ts';
import { requestIdOf } from './requestId.ts';

/** @returns the sender of the request, for the audit log. */
export function actorOf(
  { request, response }: { readonly request: Request; readonly response: Response },
  { type, keyId }: { readonly type: ActorType; readonly keyId: string | null },
): Actor {
  const address = callerAddress(request);
  return { type, keyId, address: address === '' ? null : address, requestId: requestIdOf(response) || null };
}
