import { sumOf } from "../amounts.ts";
import type { Block, CustomerAccount, CustomerFile, Instructed } from "../instructions.ts";

/** Returns a field of a fixed-width line by its first and last column, counted from 1. */
const column = (line: string, first: number, last: number) => line.slice(first - 1, last).trim();

type OpenBlock = { head: string; lines: string[] };

/** The sums in a control record (NACHA Operating Rules, appendix three). */
type Totals = { entries: number; hash: bigint; debits: bigint; credits: bigint };

/**
 * Reads a NACHA credit file by column, as an originating bank does. If no entry balances the file,
 * debits `account`. Verifies counts, hashes and sums.
 *
 * @throws {Error} if the file is invalid.
 */
export function readAchFile(bytes: Uint8Array, account: CustomerAccount): CustomerFile {
  const lines = new TextDecoder("latin1").decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const [head = "", ...rest] = lines;
  if (!head.startsWith("101")) throw new Error("is no NACHA file");
  const faults: string[] = [];
  if (lines.some((line) => line.length !== 94)) faults.push("has records of another length");
  if (lines.length % 10 !== 0) faults.push("has no whole blocks");
  const id = `${column(head, 14, 23)}-${column(head, 24, 33)}-${column(head, 34, 34)}`;
  const opened: OpenBlock[] = [];
  for (const line of rest) {
    if (line.startsWith("5")) opened.push({ head: line, lines: [] });
    else if (/^[678]/.test(line)) opened.at(-1)?.lines.push(line);
  }
  const whole: Totals = { entries: 0, hash: 0n, debits: 0n, credits: 0n };
  const blocks = opened.map((each) => blockOf(each, id, account, whole, faults));
  const control = rest.find((line) => /^9(?!9{93})/.test(line)) ?? "";
  if (column(control, 2, 7) !== String(blocks.length).padStart(6, "0")) {
    faults.push("counts other batches");
  }
  if (column(control, 8, 13) !== String(lines.length / 10).padStart(6, "0")) {
    faults.push("counts other blocks");
  }
  checkTotals(control, [14, 22, 32, 44], whole, "the file", faults);
  return { format: "nacha", id, blocks, faults };
}

function blockOf(
  { head, lines }: OpenBlock,
  fileId: string,
  account: CustomerAccount,
  whole: Totals,
  faults: string[],
): Block {
  const blockId = column(head, 88, 94);
  const entries = lines.filter((line) => line.startsWith("6"));
  const amount = (line: string) => BigInt(column(line, 30, 39));
  const isDebit = (line: string) => /^6[2345][5-9]/.test(line);
  const own: Totals = {
    entries: lines.filter((line) => /^[67]/.test(line)).length,
    hash: sumOf(entries.map((line) => ({ minor: BigInt(column(line, 4, 11)) }))),
    debits: sumOf(entries.filter(isDebit).map((line) => ({ minor: amount(line) }))),
    credits: sumOf(
      entries.filter((line) => !isDebit(line)).map((line) => ({ minor: amount(line) })),
    ),
  };
  whole.entries += own.entries;
  whole.hash += own.hash;
  whole.debits += own.debits;
  whole.credits += own.credits;
  const end = lines.findLast((line) => line.startsWith("8")) ?? "";
  checkTotals(end, [5, 11, 21, 33], own, `batch ${blockId}`, faults);
  const balancing = entries.find(isDebit);
  if (balancing !== undefined && own.debits !== own.credits)
    faults.push(`batch ${blockId}: debits`);
  const debited: CustomerAccount =
    balancing === undefined ? account : { kind: "number", id: column(balancing, 13, 29) };
  const payments = entries
    .filter((line) => !isDebit(line))
    .map((line) => paymentOf(line, head, fileId, debited));
  return { id: blockId, inOneSum: true, account: debited, currency: "USD", payments };
}

function paymentOf(
  line: string,
  head: string,
  fileId: string,
  debited: CustomerAccount,
): Instructed {
  const day = column(head, 70, 75);
  return {
    fileId,
    blockId: column(head, 88, 94),
    debited,
    currency: "USD",
    reference: column(line, 40, 54),
    minor: BigInt(column(line, 30, 39)),
    creditorName: column(line, 55, 76),
    creditorAccount: column(line, 13, 29),
    requestedOn: `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4, 6)}`,
    ach: {
      trace: column(line, 80, 94),
      routing: column(line, 4, 12),
      transactionCode: column(line, 2, 3),
      entryClass: column(head, 51, 53),
      companyName: column(head, 5, 20),
      companyId: column(head, 41, 50),
      odfi: column(head, 80, 87),
    },
  };
}

/**
 * `at` lists the first column of the count (6 or 8 columns wide), of the hash (10) and of the two
 * sums (12 each).
 */
function checkTotals(
  line: string,
  at: readonly [number, number, number, number],
  totals: Totals,
  where: string,
  faults: string[],
): void {
  const [count, hash, debits, credits] = at;
  const number = (first: number, last: number): bigint | undefined => {
    const text = column(line, first, last);
    return /^\d+$/.test(text) ? BigInt(text) : undefined;
  };
  const isRight =
    number(count, hash - 1) === BigInt(totals.entries) &&
    number(hash, debits - 1) === totals.hash % 10n ** 10n &&
    number(debits, credits - 1) === totals.debits &&
    number(credits, credits + 11) === totals.credits;
  if (!isRight) faults.push(`${where}: has controls that do not agree`);
}
