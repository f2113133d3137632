import { readAch } from "@disburse/bank-files/nacha/read.ts";
import {
  batchControl,
  batchHeader,
  columns,
  entryDetail,
  entryHash,
  fileControl,
  fileHeader,
  record,
} from "@disburse/bank-files/nacha/records.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";

/**
 * The response of the beneficiary's bank to a credit: a return such as `R02`, or a correction such
 * as `C01` with the proposed value.
 */
export type AchAnswer = { readonly code: string; readonly corrected?: string };

/** Writes the bank's file with one response for each credit of a file, in the same order. */
export function achAnswers(
  file: Uint8Array,
  answers: readonly (AchAnswer | undefined)[],
): Uint8Array {
  const ours = readAch(file);
  if (isRefused(ours)) throw new Error(ours.detail);
  const entries = ours.batches.flatMap((each) => each.entries);
  const answered = entries.flatMap((entry, at) => {
    const answer = answers[at];
    return answer === undefined ? [] : [{ entry, answer }];
  });
  const lines = answered.flatMap(({ entry, answer }, at) => {
    const { code, corrected = "" } = answer;
    const isChange = code.startsWith("C");
    const trace = `23138010${String(at + 1).padStart(7, "0")}`;
    const said = isChange
      ? `798${code}${entry.trace}      12104288${corrected.padEnd(29)}${" ".repeat(15)}${trace}`
      : `799${code}${entry.trace}      12104288${" ".repeat(44)}${trace}`;
    return [
      record(entryDetail, {
        ...{ recordType: "6", transactionCode: "21", rdfi: "12104288", checkDigit: "2" },
        ...{ account: entry.account, amount: isChange ? "0" : String(entry.cents), trace },
        ...{ receiver: entry.receiver, addendaIndicator: "1" },
      }),
      said,
    ];
  });
  const total = answered
    .filter(({ answer }) => !answer.code.startsWith("C"))
    .reduce((sum, { entry }) => sum + entry.cents, 0n);
  const sums = {
    ...{ entries: String(lines.length), debits: "0", credits: String(total) },
    hash: String(entryHash(answered.map(() => "12104288"))),
  };
  const of = { companyId: "1234567890", odfi: "23138010", number: "1", serviceClass: "220" };
  const all = [
    record(fileHeader, {
      ...{ recordType: "1", priority: "01", destination: " 231380104", origin: " 121042882" },
      ...{ createdOn: "261127", createdAt: "0900", modifier: "A", recordSize: "094" },
      ...{ blockingFactor: "10", format: "1" },
    }),
    record(batchHeader, {
      ...{ ...of, recordType: "5", entryClass: "PPD", effectiveOn: "000000" },
      originatorStatus: "1",
    }),
    ...lines,
    record(batchControl, { ...of, ...sums, recordType: "8" }),
  ];
  const blocks = Math.ceil((all.length + 1) / 10);
  all.push(record(fileControl, { recordType: "9", batches: "1", blocks: String(blocks), ...sums }));
  while (all.length % 10 !== 0) all.push("9".repeat(columns));
  return new TextEncoder().encode(all.map((line) => `${line}\n`).join(""));
}
