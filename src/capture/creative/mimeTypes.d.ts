/** The package comes without types. */
declare module 'mime-types' {
  export function lookup(name: string): string | false;
}
