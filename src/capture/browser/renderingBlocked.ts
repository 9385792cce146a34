/** A page cannot be rendered. Only the kind `stuck` may succeed with another clock. */
export class RenderingBlockedError extends Error {
  override readonly name = 'RenderingBlockedError';
  readonly kind: 'endless_script' | 'stuck' | 'no_picture';

  constructor(kind: RenderingBlockedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
