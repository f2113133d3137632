/** A transaction can be included in the 150 blocks after its block hash (`MAX_PROCESSING_AGE`). */
const lifetimeBlocks = 150;
/** Waiting some blocks longer covers an error in counting them by one. */
const spareBlocks = 10;
/** The slots of that many blocks, even if most of them are skipped. */
const slotsMax = 1_000;

/**
 * Returns the blocks in which a transaction can be included. `known` are final blocks of the nodes
 * that know its block hash, read before the transaction is sent. The highest counts, so a node that
 * reports a low height can't make a transaction look expired. Nodes that know the hash are at most
 * a lifetime apart. If they are further apart, one of them is wrong, and nothing is signed.
 */
export function lifetimeOf(
  known: readonly ({ readonly slot: number; readonly height: number } | undefined)[],
  agreeing: number,
): { readonly lastHeight: number; readonly sinceSlot: number } | undefined {
  const blocks = known.filter((block) => block !== undefined);
  const [heights, slots] = [blocks.map(({ height }) => height), blocks.map(({ slot }) => slot)];
  if (blocks.length < agreeing) return undefined;
  const [highest, sinceSlot] = [Math.max(...heights), Math.min(...slots)];
  if (highest - Math.min(...heights) > lifetimeBlocks) return undefined;
  if (Math.max(...slots) - sinceSlot > slotsMax) return undefined;
  return { lastHeight: highest + lifetimeBlocks + spareBlocks, sinceSlot };
}
