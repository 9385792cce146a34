/** The base of all errors of this client. */
export class TearsheetError extends Error {
  override readonly name: string = 'TearsheetError';
}

/** The service answered with a failure. */
export class ApiError extends TearsheetError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Names the kind of failure. Undefined if the answer does not come from the service, but from a proxy before it. */
  readonly code: string | undefined;
  /** The id under which the log of the service has this request. */
  readonly requestId: string | undefined;
  /** Messages by the path of the field. */
  readonly faults: Readonly<Record<string, readonly string[]>>;

  constructor(response: Response, body: FailureBody) {
    const faults = body.errors ?? {};
    const lines = Object.entries(faults).flatMap(([path, messages]) => messages.map((each) => `${path} ${each}`));
    super([`The service answered ${response.status}.`, ...lines].join(' '));
    this.status = response.status;
    this.code = body.code;
    this.requestId = body.request_id ?? response.headers.get('x-request-id') ?? undefined;
    this.faults = faults;
  }
}

/** No answer came: the connection was lost, or the deadline of a try was over. */
export class ConnectionError extends TearsheetError {
  override readonly name = 'ConnectionError';
}

/** A wait was longer than its deadline. */
export class DeadlineError extends TearsheetError {
  override readonly name = 'DeadlineError';
}

/** A message has no valid signature. */
export class SignatureError extends TearsheetError {
  override readonly name = 'SignatureError';
}

export interface FailureBody {
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly code?: string;
  readonly request_id?: string;
}
