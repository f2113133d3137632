import type { AchCredit } from "./credit.ts";
import { blockRecords } from "./records.ts";

/** Ten digits of cents: the amount of an entry. */
export const entryCentsMax = 9_999_999_999n;
/** Twelve digits of cents: the sums of a batch and of a file. */
export const sumCentsMax = 999_999_999_999n;

/** Six digits: entries and addenda of a batch. */
const batchRecordsMax = 999_999;
/** Six digits for the number of batches in a file. */
const batchesMax = 999_999;
/** Six digits: blocks of a file. So its entries and addenda never fill their eight digits. */
const blocksMax = 999_999;

/** Credits of one batch share class and day. */
export type AchBatchCredits = readonly [AchCredit, ...AchCredit[]];

/**
 * Splits credits into batches: one for each class and day, in the order of its first credit. A full
 * batch is followed by another one. A control record has 12 digits for its sum and 6 for its
 * entries and addenda. A balancing entry has 10 digits for the sum of its batch.
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

/** Returns the limits that one file with these batches would exceed, for operators. */
export function achFileLimits(batches: readonly AchBatchCredits[], isBalanced: boolean): string[] {
  let cents = 0n;
  let records = isBalanced ? batches.length : 0;
  for (const batch of batches) {
    for (const credit of batch) {
      cents += credit.cents;
      records += recordsOf(credit);
    }
  }
  // The header and control record of the file and of each batch.
  const blocks = Math.ceil((records + 2 * batches.length + 2) / blockRecords);
  const limits: readonly (readonly [isKept: boolean, problem: string])[] = [
    [cents <= sumCentsMax, "sum up to more than twelve digits"],
    [batches.length <= batchesMax, `have more than ${batchesMax} batches`],
    [blocks <= blocksMax, `have more than ${blocksMax} blocks`],
  ];
  return limits.filter(([isKept]) => !isKept).map(([, problem]) => problem);
}
