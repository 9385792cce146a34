import type { FieldErrors } from '../../domain/failure.ts';

/** @returns the JSON object of every 4xx and 5xx of the public API. */
export function failureBody(code: string, requestId: string, errors: FieldErrors): object {
  return { status: 'failure', code, request_id: requestId, errors };
}
