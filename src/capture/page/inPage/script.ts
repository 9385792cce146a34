/**
 * Code that runs inside pages is written as plain functions that name nothing but one another and the browser's own
 * globals; their text is sent.
 */

// biome-ignore lint/complexity/noBannedTypes: any function at all; only its text is used.
type AnyFunction = Function;

/** @returns an expression that declares `functions` and has the value of `result`. */
export function expressionOf(functions: readonly AnyFunction[], result: string): string {
  return `(() => { ${functions.map(String).join('\n')}\nreturn ${result}; })()`;
}
