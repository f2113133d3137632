/** Fails the test with this text. */
export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`failed: ${what}`);
}
