/**
 * Code that runs inside pages consists of plain functions. They use only one another and the browser's globals, because the
 * browser gets their source text. A function declares functions of other files instead of importing them: a compiler may rename
 * an import, and then the text would no longer run.
 */

// biome-ignore lint/complexity/noBannedTypes: any function, because only its source text is used.
type AnyFunction = Function;

/** Functions that belong together, with the functions of other files that they call. */
export type PagePart = Readonly<Record<string, AnyFunction>>;

/** @returns an expression that declares the functions and has the value of `result`. */
export function expressionOf(functions: PagePart, result: string): string {
  return `(() => { ${Object.values(functions).map(String).join('\n')}\nreturn ${result}; })()`;
}
