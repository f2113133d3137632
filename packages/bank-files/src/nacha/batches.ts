import type { AchCredit } from "./credit.ts";
import { blockRecords } from "./records.ts";

/** The maximum amount of an entry in cents. The field has ten digits. */
export const entryCentsMax = 9_999_999_999n;
/** The maximum sum of a batch or a file in cents. The field has twelve digits. */
export const sumCentsMax = 999_999_999_999n;

/** The maximum number of entries and addenda in a batch. The field has six digits. */
const batchRecordsMax = 999_999;
/** The maximum number of batches in a file. The field has six digits. */
const batchesMax = 999_999;
/**
 * The maximum number of blocks in a file. The field has six digits. This limit keeps the file's
 * count of entries and addenda below its own limit of eight digits.
 */
const blocksMax = 999_999;

/** The credits of one batch. They have the same entry class and settlement day. */
export type AchBatchCredits = readonly [AchCredit, ...AchCredit[]];

/**
 * Splits credits into batches by entry class and day, in the order of each batch's first credit.
 * Starts another batch when one is full. A batch is full if its sum exceeds 12 digits, or its
 * entries and addenda exceed 6. With a balancing entry, whose amount is the batch's sum, the sum
 * has at most 10 digits.
 */
export function achBatches(credits: readonly AchCredit[], isBalanced: boolean): AchBatchCredits[] {
  const kinds = Map.groupBy(credits, ({ entryClass, effectiveOn }) => entryClass + effectiveOn);
  return [...kinds.values()].flatMap((each) => fullBatches(each, isBalanced));
}

function fullBatches(credits: readonly AchCredit[], isBalanced: boolean): AchBatchCredits[] {
  const centsMax = isBalanced ? entryCentsMax : sumCentsMax;
  const recordsMax = isBalanced ? batchRecordsMax - 1 : batchRecordsMax;
  const batches: [AchCredit, ...AchCredit[]][] = [];
  let last: AchCredit[] | undefined;
  let cents = 0n;
  let records = 0;
  for (const credit of credits) {
    const more = recordsOf(credit);
    if (last === undefined || cents + credit.cents > centsMax || records + more > recordsMax) {
      const batch: [AchCredit, ...AchCredit[]] = [credit];
      batches.push(batch);
      last = batch;
      cents = credit.cents;
      records = more;
      continue;
    }
    last.push(credit);
    cents += credit.cents;
    records += more;
  }
  return batches;
}

function recordsOf({ remittance }: AchCredit): number {
  return remittance === undefined ? 1 : 2;
}

/** Returns the limits that one file with these batches would exceed, as text for operators. */
export function achFileLimits(batches: readonly AchBatchCredits[], isBalanced: boolean): string[] {
  let cents = 0n;
  let records = isBalanced ? batches.length : 0;
  for (const batch of batches) {
    for (const credit of batch) {
      cents += credit.cents;
      records += recordsOf(credit);
    }
  }
  // The 2 counts the file's header and control record. Each batch has two such records too.
  const blocks = Math.ceil((records + 2 * batches.length + 2) / blockRecords);
  const limits: readonly (readonly [isKept: boolean, problem: string])[] = [
    [cents <= sumCentsMax, "sum up to more than twelve digits"],
    [batches.length <= batchesMax, `have more than ${batchesMax} batches`],
    [blocks <= blocksMax, `have more than ${blocksMax} blocks`],
  ];
  return limits.filter(([isKept]) => !isKept).map(([, problem]) => problem);
}
