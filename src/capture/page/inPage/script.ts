/**
 * Code that runs inside pages is written as plain functions that name nothing but one another and the browser's own
 * globals; their text is sent. A function of another file is declared, not imported: an import may get another name
 * when the file is compiled or tested, and its text would no longer run.
 */

// biome-ignore lint/complexity/noBannedTypes: any function at all; only its text is used.
type AnyFunction = Function;

/** Functions that belong together, and those of other files that they name. */
export type PagePart = Readonly<Record<string, AnyFunction>>;

/** @returns an expression that declares the functions and has the value of `result`. */
export function expressionOf(functions: PagePart, result: string): string {
  return `(() => { ${Object.values(functions).map(String).join('\n')}\nreturn ${result}; })()`;
}
