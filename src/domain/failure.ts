/** Messages by the path of the field they speak of; the API's errors as clients see them. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface FailureOptions {
  /** HTTP status. */
  readonly status: number;
  /** For programs: one word for the kind of failure; in logs and metrics. */
  readonly code: string;
  readonly errors: FieldErrors;
  /** Response headers that belong to it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one error that clients are told about; everything else that is thrown is a fault of the service. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: FieldErrors;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, errors, headers = {} }: FailureOptions) {
    super(`${code}: ${Object.entries(errors).map(([path, texts]) => `${path} ${texts.join(' ')}`)}`);
    this.name = 'Failure';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** For people who see no field paths: whole sentences as they are, the others after the field that they speak of. */
export function failureMessage({ errors }: Pick<Failure, 'errors'>): string {
  const sentences = Object.entries(errors).flatMap(([path, texts]) =>
    texts.map((text) => (/^\p{Lu}/u.test(text) ? text : `The ${path} ${text}`)),
  );
  return sentences.join(' ');
}

/** Unknown id, path or organization. `parameter` is the part of the path that names it. */
export function notFound(parameter: string, message: string): Failure {
  return new Failure({ status: 404, code: 'not_found', errors: { [parameter]: [message] } });
}

export function invalid(errors: FieldErrors): Failure {
  return new Failure({ status: 422, code: 'invalid', errors });
}

/** What is asked for does not go with the state things are in. */
export function conflict(parameter: string, message: string): Failure {
  return new Failure({ status: 409, code: 'conflict', errors: { [parameter]: [message] } });
}
