/** Ends a walk where something is not as it should be. */
export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`not so: ${what}`);
}
