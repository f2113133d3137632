import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";
import { type AchAddenda, addendaOf } from "./addenda.ts";
import {
  batchControl,
  batchHeader,
  blockRecords,
  columns,
  entryDetail,
  entryHash,
  fileControl,
  fileHeader,
  isRoutingNumber,
  valuesOf,
} from "./records.ts";

/** What could not be read, or does not agree; by the line, without content. */
export type AchUnread = { readonly line: number; readonly problem: string };

/** An entry with its addenda. Never logged: it has a name and an account number. */
export type AchEntry = {
  readonly line: number;
  /** `credit` or `debit` of the receiver's account; a return names what the entry was. */
  readonly direction: "credit" | "debit";
  /** Its transaction code, two digits. */
  readonly transactionCode: string;
  readonly routing: string;
  readonly account: string;
  readonly cents: bigint;
  readonly receiverId: string;
  /** The receiver's name; in classes other than PPD and CCD with other parts. */
  readonly receiver: string;
  readonly trace: string;
  readonly addenda: readonly AchAddenda[];
};

/** A batch; of returns with the class of what is returned, of changes with `COR`. */
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

/** A NACHA file, read. */
export type ReadAch = {
  readonly destination: string;
  readonly origin: string;
  readonly createdOn?: string;
  readonly modifier: string;
  readonly batches: readonly AchBatch[];
  readonly unread: readonly AchUnread[];
};

/** A file of half a million records; more at once is no file of a bank. */
const bytesMax = 64 * 2 ** 20;

type Line = { readonly number: number; readonly text: string };
type Sums = { entries: number; rdfis: string[]; debits: bigint; credits: bigint };
type OpenEntry = Omit<AchEntry, "addenda"> & { readonly addenda: AchAddenda[] };
type OpenBatch = Omit<AchBatch, "entries"> & { readonly entries: OpenEntry[] };

/**
 * Reads a NACHA file: entries with payment information, returns, dishonoured and contested ones,
 * and notifications of change. Counts, sums and hashes that do not agree are named in `unread`, as
 * is every record that is none; what stands there is taken nevertheless.
 */
export function readAch(bytes: Uint8Array): ReadAch | Refused<"UNREADABLE"> {
  if (bytes.length > bytesMax) return refused("UNREADABLE", `has more than ${bytesMax} bytes`);
  const lines = linesOf(new TextDecoder("latin1").decode(bytes));
  const [head, ...rest] = lines;
  if (head === undefined || !/^101/.test(head.text)) {
    return refused("UNREADABLE", "does not begin with the head of a NACHA file");
  }
  return new AchReader(head, lines.length).read(rest);
}

/** Records by line; where there are no line ends, by 94 columns. Short ones are filled up. */
function linesOf(text: string): Line[] {
  const parts = text.includes("\n") ? text.split(/\r?\n/) : (text.match(/.{1,94}/gs) ?? []);
  return parts
    .map((part, index) => ({ number: index + 1, text: part.padEnd(columns) }))
    .filter((line) => line.text.trim() !== "");
}

class AchReader {
  readonly #unread: AchUnread[] = [];
  readonly #batches: OpenBatch[] = [];
  readonly #whole: Sums = { entries: 0, rdfis: [], debits: 0n, credits: 0n };
  readonly #head: Line;
  readonly #records: number;
  #sums: Sums = { entries: 0, rdfis: [], debits: 0n, credits: 0n };
  #batch: OpenBatch | undefined;
  #isEnded = false;

  constructor(head: Line, records: number) {
    this.#head = head;
    this.#records = records;
  }

  read(lines: readonly Line[]): ReadAch {
    for (const line of lines) this.#line(line);
    const last = lines.at(-1)?.number ?? this.#head.number;
    if (!this.#isEnded) this.#problem(last, "the file breaks off: its control record is absent");
    if (this.#records % blockRecords !== 0) this.#problem(last, "the last block is not whole");
    const { destination, origin, createdOn, modifier } = valuesOf(fileHeader, this.#head.text);
    const day = this.#day(createdOn, this.#head.number);
    return {
      ...{ destination, origin, modifier },
      ...(day === undefined ? {} : { createdOn: day }),
      batches: this.#batches,
      unread: this.#unread,
    };
  }

  #problem(line: number, problem: string): void {
    this.#unread.push({ line, problem });
  }

  #line(line: Line): void {
    if (line.text.length > columns) this.#problem(line.number, "has more than 94 columns");
    if (this.#isEnded) {
      if (!/^9+ *$/.test(line.text)) this.#problem(line.number, "stands after the end of the file");
      return;
    }
    switch (line.text[0]) {
      case "5":
        this.#begin(line);
        break;
      case "6":
        this.#entry(line);
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
        this.#problem(line.number, "is no record of a NACHA file");
    }
  }

  #begin({ number: at, text }: Line): void {
    if (this.#batch !== undefined) this.#problem(at, "begins a batch before the last one ends");
    const values = valuesOf(batchHeader, text);
    const { number, companyName, companyId, entryClass, description, odfi } = values;
    const effectiveOn = values.effectiveOn === "" ? undefined : this.#day(values.effectiveOn, at);
    this.#sums = { entries: 0, rdfis: [], debits: 0n, credits: 0n };
    this.#batch = {
      ...{ number, companyName, companyId, entryClass, description, odfi },
      ...(effectiveOn === undefined ? {} : { effectiveOn }),
      entries: [],
    };
    this.#batches.push(this.#batch);
  }

  #entry({ number: line, text }: Line): void {
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
    if (!isRoutingNumber(routing)) this.#problem(line, "has a routing number that is none");
    const cents = BigInt(amount);
    this.#sums.entries += 1;
    this.#sums.rdfis.push(rdfi);
    this.#sums[direction === "credit" ? "credits" : "debits"] += cents;
    this.#batch.entries.push({
      ...{ line, direction, transactionCode, routing, account, cents, receiverId, receiver },
      trace: values.trace,
      addenda: [],
    });
  }

  #addenda({ number, text }: Line): void {
    const entry = this.#batch?.entries.at(-1);
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
    this.#whole.rdfis.push(...this.#sums.rdfis);
    this.#whole.debits += this.#sums.debits;
    this.#whole.credits += this.#sums.credits;
    this.#batch = undefined;
  }

  #endFile({ number, text }: Line): void {
    if (this.#batch !== undefined)
      this.#problem(number, "ends the file before its last batch ends");
    const control = valuesOf(fileControl, text);
    this.#compare(number, control, this.#whole);
    const agrees = this.#isSame(control.batches, BigInt(this.#batches.length));
    if (!agrees) this.#problem(number, "counts other batches");
    const blocks = Math.ceil(this.#records / blockRecords);
    if (!this.#isSame(control.blocks, BigInt(blocks))) this.#problem(number, "counts other blocks");
    this.#isEnded = true;
  }

  #compare(
    line: number,
    control: { entries: string; hash: string; debits: string; credits: string },
    { entries, rdfis, debits, credits }: Sums,
  ): void {
    const values = [
      ["counts other entries", control.entries, BigInt(entries)],
      ["has another entry hash", control.hash, entryHash(rdfis)],
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

  /** `261125` as `2026-11-25`: NACHA's years are of this century. */
  #day(text: string, line: number): string | undefined {
    const day = `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`;
    if (/^\d{6}$/.test(text) && isCalendarDate(day)) return day;
    // Returns have none: operators of the network fill it with zeros.
    if (text !== "000000") this.#problem(line, "has a day that is none");
    return undefined;
  }
}

/** Codes by kind of account (second digit alike): x1 to x4 are credits, x6 to x9 debits. */
function directionOf(code: string): "credit" | "debit" | undefined {
  if (/^[2345][1-4]$/.test(code)) return "credit";
  return /^[2345][5-9]$/.test(code) ? "debit" : undefined;
}
