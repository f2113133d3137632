/** The test fails with `what` as message. */
export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`failed: ${what}`);
}
