/** What has to arrive so that everything that waits is covered; minor units. */
export function missingFor(waiting: bigint, available: bigint): bigint {
  if (waiting === 0n) return 0n;
  const missing = waiting - available;
  return missing > 0n ? missing : 0n;
}
