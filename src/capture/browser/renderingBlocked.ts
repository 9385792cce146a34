/** What the page did that ends its rendering. `kind` tells whether another clock may help. */
export class RenderingBlockedError extends Error {
  override readonly name = 'PageResistsError';
  readonly kind: 'crash' | 'endless_script' | 'stuck' | 'no_picture';

  constructor(kind: RenderingBlockedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
