import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";
import { columnText, fileBytesMax, isCard, tooLarge } from "../normalise/text.ts";
import { type AchAddenda, addendaOf } from "./addenda.ts";
import { type Line, linesOf } from "./lines.ts";
import {
  batchControl,
  batchHeader,
  blockRecords,
  entryDetail,
  entryHashLimit,
  fileControl,
  fileHeader,
  isRoutingNumber,
  valuesOf,
} from "./records.ts";

/** An unreadable or contradictory part of a file, by its line number and without its text. */
export type AchUnread = { readonly line: number; readonly problem: string };

/** An entry with its addenda. Never log it: it contains a name and an account number. */
export type AchEntry = {
  readonly line: number;
  /** The effect on the receiver's account. A return repeats the direction of the original entry. */
  readonly direction: "credit" | "debit";
  /** Two digits for the account type and the direction. */
  readonly transactionCode: string;
  readonly routing: string;
  readonly account: string;
  readonly cents: bigint;
  readonly receiverId: string;
  /** The receiver's name. In classes other than PPD and CCD, the field also contains other data. */
  readonly receiver: string;
  readonly trace: string;
  readonly addenda: readonly AchAddenda[];
};

/**
 * A batch of entries. Returns are in a batch with the class of the original entries. Changes are in
 * a batch of class `COR`.
 */
export type AchBatch = {
  readonly number: string;
  readonly companyName: string;
  readonly companyId: string;
  readonly entryClass: string;
  readonly description: string;
  readonly effectiveOn?: string;
  readonly odfi: string;
  readonly entries: readonly AchEntry[];
};

export type ReadAch = {
  readonly destination: string;
  readonly origin: string;
  readonly createdOn?: string;
  readonly modifier: string;
  readonly batches: readonly AchBatch[];
  readonly unread: readonly AchUnread[];
};

/** The maximum number of listed problems per file. Further problems are only counted. */
const unreadMax = 1_000;

type Sums = { entries: number; rdfis: bigint; debits: bigint; credits: bigint };
type OpenEntry = Omit<AchEntry, "addenda"> & { readonly addenda: AchAddenda[] };
type OpenBatch = Omit<AchBatch, "entries"> & { readonly entries: OpenEntry[] };

/**
 * All NACHA files that one file contains, and the lines outside of them, except transmission cards.
 */
export type AchFiles = {
  readonly files: readonly ReadAch[];
  readonly outside: readonly AchUnread[];
};

/**
 * Reads NACHA files with payments, returns, dishonoured and contested returns, and notifications of
 * change. `unread` reports wrong counts, sums and hashes, and lines that are not records. All valid
 * records are still read. Transmission cards are dropped.
 */
export function readAchFiles(chunks: Iterable<string>): AchFiles | Refused<"UNREADABLE"> {
  const files: AchReader[] = [];
  const outside: AchUnread[] = [];
  for (const line of linesOf(chunks)) {
    const last = files.at(-1);
    if (/^101/.test(line.text)) {
      files.push(new AchReader(line));
    } else if (last !== undefined && !last.isEnded) {
      last.take(line);
    } else if (/^<[?!\w]/.test(line.text)) {
      return refused("UNREADABLE", `line ${line.number}: XML follows a NACHA file`);
    } else if (isCard(line.text)) {
      // Transmission cards around a file are not reported, because they say nothing about its
      // content.
    } else if (last !== undefined) {
      last.take(line);
    } else if (outside.length < unreadMax) {
      outside.push({ line: line.number, problem: line.problem ?? "stands before the first file" });
    }
  }
  if (files.length === 0) {
    return refused(
      "UNREADABLE",
      "has no header record of a NACHA file, a line that begins with 101",
    );
  }
  return { files: files.map((each) => each.end()), outside };
}

/** Reads a file that contains exactly one NACHA file. */
export function readAch(bytes: Uint8Array): ReadAch | Refused<"UNREADABLE"> {
  if (bytes.length > fileBytesMax) return tooLarge;
  const read = readAchFiles(columnText(bytes));
  if (isRefused(read)) return read;
  const [file, ...others] = read.files;
  if (file === undefined || others.length > 0) {
    return refused("UNREADABLE", "contains more than one NACHA file");
  }
  return file;
}

class AchReader {
  readonly #unread: AchUnread[] = [];
  readonly #batches: OpenBatch[] = [];
  readonly #whole: Sums = { entries: 0, rdfis: 0n, debits: 0n, credits: 0n };
  readonly #head: Line;
  #unnamed = 0;
  #records = 1;
  #last: number;
  #sums: Sums = { entries: 0, rdfis: 0n, debits: 0n, credits: 0n };
  #batch: OpenBatch | undefined;
  /** The entry that addenda records belong to; `undefined` after an unreadable one. */
  #entry: OpenEntry | undefined;
  #control: { readonly line: number; readonly blocks: string } | undefined;

  constructor(head: Line) {
    this.#head = head;
    this.#last = head.number;
    if (head.problem !== undefined) this.#problem(head.number, head.problem);
  }

  /** True after the control record of the file. Only padding records of nines may follow. */
  get isEnded(): boolean {
    return this.#control !== undefined;
  }

  take(line: Line): void {
    const { number, text, problem } = line;
    if (problem !== undefined) this.#problem(number, problem);
    if (text === "") return;
    this.#records += 1;
    this.#last = number;
    if (this.isEnded) {
      if (/^9+ *$/.test(text)) return;
      this.#records -= 1;
      this.#problem(number, "stands after the end of the file");
      return;
    }
    this.#record(line);
  }

  end(): ReadAch {
    const { destination, origin, createdOn, modifier } = valuesOf(fileHeader, this.#head.text);
    const day = this.#day(createdOn, this.#head.number);
    if (this.#control === undefined) {
      this.#problem(this.#last, "the file breaks off: its control record is absent");
    } else {
      // The padding of the last block may be missing, because the control record already proves
      // that the file is complete.
      const blocks = BigInt(Math.ceil(this.#records / blockRecords));
      const { line } = this.#control;
      if (!this.#isSame(this.#control.blocks, blocks)) this.#problem(line, "counts other blocks");
    }
    const more = { line: this.#last, problem: `has ${this.#unnamed} more problems` };
    const file = {
      destination,
      origin,
      modifier,
      batches: this.#batches,
      unread: this.#unnamed === 0 ? this.#unread : [...this.#unread, more],
    };
    return day === undefined ? file : { ...file, createdOn: day };
  }

  #problem(line: number, problem: string): void {
    if (this.#unread.length < unreadMax) this.#unread.push({ line, problem });
    else this.#unnamed += 1;
  }

  #record(line: Line): void {
    switch (line.text[0]) {
      case "5":
        this.#begin(line);
        break;
      case "6":
        this.#detail(line);
        break;
      case "7":
        this.#addenda(line);
        break;
      case "8":
        this.#end(line);
        break;
      case "9":
        this.#endFile(line);
        break;
      default:
        this.#entry = undefined;
        this.#problem(line.number, "is not a record of a NACHA file");
    }
  }

  #begin({ number: at, text }: Line): void {
    if (this.#batch !== undefined) this.#problem(at, "begins a batch before the last one ends");
    const values = valuesOf(batchHeader, text);
    const { number, companyName, companyId, entryClass, description, odfi } = values;
    const effectiveOn = values.effectiveOn === "" ? undefined : this.#day(values.effectiveOn, at);
    this.#sums = { entries: 0, rdfis: 0n, debits: 0n, credits: 0n };
    this.#entry = undefined;
    const batch = { number, companyName, companyId, entryClass, description, odfi };
    const entries: OpenEntry[] = [];
    this.#batch =
      effectiveOn === undefined ? { ...batch, entries } : { ...batch, effectiveOn, entries };
    this.#batches.push(this.#batch);
  }

  #detail({ number: line, text }: Line): void {
    this.#entry = undefined;
    if (this.#batch === undefined) {
      this.#problem(line, "is an entry outside of a batch");
      return;
    }
    const values = valuesOf(entryDetail, text);
    const { transactionCode, rdfi, checkDigit, account, amount, receiverId, receiver } = values;
    const direction = directionOf(transactionCode);
    if (direction === undefined || !/^\d{10}$/.test(amount) || !/^\d{8}$/.test(rdfi)) {
      this.#problem(line, "is left out: its code, amount or bank cannot be read");
      return;
    }
    const routing = rdfi + checkDigit;
    if (!isRoutingNumber(routing)) this.#problem(line, "has a routing number that is not valid");
    const cents = BigInt(amount);
    this.#sums.entries += 1;
    this.#sums.rdfis += BigInt(rdfi);
    this.#sums[direction === "credit" ? "credits" : "debits"] += cents;
    this.#entry = {
      line,
      direction,
      transactionCode,
      routing,
      account,
      cents,
      receiverId,
      receiver,
      trace: values.trace,
      addenda: [],
    };
    this.#batch.entries.push(this.#entry);
  }

  #addenda({ number, text }: Line): void {
    const entry = this.#entry;
    if (entry === undefined) {
      this.#problem(number, "is an addenda record without an entry");
      return;
    }
    this.#sums.entries += 1;
    const addenda = addendaOf(text, this.#batch?.entryClass ?? "");
    if (addenda === undefined) this.#problem(number, "is an addenda record of an unknown kind");
    else entry.addenda.push(addenda);
  }

  #end({ number, text }: Line): void {
    if (this.#batch === undefined) {
      this.#problem(number, "ends a batch that did not begin");
      return;
    }
    const control = valuesOf(batchControl, text);
    this.#compare(number, control, this.#sums);
    if (control.number !== this.#batch.number)
      this.#problem(number, "ends a batch of another number");
    this.#whole.entries += this.#sums.entries;
    this.#whole.rdfis += this.#sums.rdfis;
    this.#whole.debits += this.#sums.debits;
    this.#whole.credits += this.#sums.credits;
    this.#batch = undefined;
    this.#entry = undefined;
  }

  #endFile({ number, text }: Line): void {
    if (this.#batch !== undefined)
      this.#problem(number, "ends the file before its last batch ends");
    const control = valuesOf(fileControl, text);
    this.#compare(number, control, this.#whole);
    const agrees = this.#isSame(control.batches, BigInt(this.#batches.length));
    if (!agrees) this.#problem(number, "counts other batches");
    this.#control = { line: number, blocks: control.blocks };
  }

  #compare(
    line: number,
    control: { entries: string; hash: string; debits: string; credits: string },
    { entries, rdfis, debits, credits }: Sums,
  ): void {
    const values = [
      ["counts other entries", control.entries, BigInt(entries)],
      ["has another entry hash", control.hash, rdfis % entryHashLimit],
      ["has another sum of debits", control.debits, debits],
      ["has another sum of credits", control.credits, credits],
    ] as const;
    for (const [problem, written, value] of values) {
      if (!this.#isSame(written, value)) this.#problem(line, problem);
    }
  }

  #isSame(written: string, value: bigint): boolean {
    return /^\d+$/.test(written) && BigInt(written) === value;
  }

  /** Reads `261125` as `2026-11-25`. NACHA's two-digit years are in this century. */
  #day(text: string, line: number): string | undefined {
    const day = `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`;
    if (/^\d{6}$/.test(text) && isCalendarDate(day)) return day;
    // Returns have no day: network operators fill the field with zeros.
    if (text !== "000000") this.#problem(line, "has a day that is not valid");
    return undefined;
  }
}

/**
 * Reads the direction from the second digit of the transaction code: 1 to 4 are credits, 6 to 9
 * debits.
 */
function directionOf(code: string): "credit" | "debit" | undefined {
  if (/^[2345][1-4]$/.test(code)) return "credit";
  return /^[2345][5-9]$/.test(code) ? "debit" : undefined;
}
