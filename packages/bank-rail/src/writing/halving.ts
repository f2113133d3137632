import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { FileDocument, StoredFault } from "../documents.ts";
import type { BankFormat, FileDefect, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";

/**
 * The maximum number of parts of one file that are tried. This is enough to find about ten faulty
 * payments among 20,000, or to try each of 100 payments alone. Each try writes and checks one part.
 */
const triesMax = 200;

/**
 * Writes a file with these payments, without storing or sending it. An exception counts as a
 * defect.
 */
export async function tryToWrite(
  format: BankFormat,
  file: FileDocument,
  payments: readonly PaymentToWrite[],
): Promise<Writing | ProfileFaults | FileDefect> {
  try {
    const writing = await format.write(file, payments);
    if (isRefused(writing) || isOfEach(writing, payments)) return writing;
    return {
      ...refused("DEFECT"),
      problems: ["the file writer lost a payment, or wrote one twice"],
    };
  } catch (error) {
    return { ...refused("DEFECT"), problems: [`the file writer failed: ${placeOf(error)}`] };
  }
}

/**
 * Returns true if each payment occurs exactly once, either in the file or among those left out. A
 * payment that occurs in neither could be paid again.
 */
function isOfEach({ file, leftOut }: Writing, payments: readonly PaymentToWrite[]): boolean {
  const ids = [...(file?.members ?? []), ...leftOut].map(({ id }) => id);
  const given = new Set(payments.map(({ payment }) => payment._id));
  return (
    ids.length === payments.length &&
    new Set(ids).size === given.size &&
    ids.every((id) => given.has(id))
  );
}

/**
 * Matches the first line of a stack trace that names a file. Captures the file name without
 * folders, and the line number.
 */
const frame = /^ +at .*?([\w.-]+\.[a-z]+)(?:\?[^:]*)?:(\d+):\d+\)?$/m;

/**
 * Returns the place where an exception was thrown. Omits its message, which may contain personal
 * data.
 */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no error";
  const [, name, line] = frame.exec(error.stack ?? "") ?? [];
  return name === undefined ? error.name : `${error.name} at ${name}:${line}`;
}

/**
 * Writes a file with as many payments as possible, if not all of them can be written together.
 * Halves the payments until a part can be written or contains only one payment. A payment that
 * fails alone is at fault and left out. Payments that are neither in the file nor left out are not
 * in the result, and go into a later file. If the sample payment can't be written, or no part of
 * several payments can, no payment is at fault. The writer may then be faulty, so the file is held.
 */
export async function writeHalved(
  format: BankFormat,
  file: FileDocument,
  payments: readonly PaymentToWrite[],
): Promise<Writing | ProfileFaults | FileDefect> {
  const problems = await checkFormat(format);
  if (problems.length > 0) return { ...refused("UNWRITABLE"), problems };
  const halved = await halve(format, file, payments);
  if (isRefused(halved)) return halved;
  const { parts, atFault, isWritten, why } = halved;
  if (!isWritten && payments.length > 1) {
    return {
      ...refused("UNWRITABLE"),
      problems: ["none of the file's payments can be written", ...why],
    };
  }
  const [largest] = parts;
  if (largest === undefined) return { file: undefined, leftOut: atFault };
  const good = new Set(parts.flat());
  const together = await tryToWrite(
    format,
    file,
    payments.filter((each) => good.has(each)),
  );
  // If the parts together exceed a limit of one file, they go into several files.
  const writing =
    isRefused(together) && together.refused === "DEFECT"
      ? await tryToWrite(format, file, largest)
      : together;
  if (isRefused(writing)) return writing;
  return { file: writing.file, leftOut: [...writing.leftOut, ...atFault] };
}

async function checkFormat(format: BankFormat): Promise<readonly string[]> {
  try {
    return await format.check();
  } catch (error) {
    return [`the file writer failed: ${placeOf(error)}`];
  }
}

type Halved = {
  /** Parts that could be written, the largest first. */
  readonly parts: readonly (readonly PaymentToWrite[])[];
  readonly atFault: readonly StoredFault[];
  /**
   * True if at least one part produced a file. A part whose payments are all left out produces
   * none.
   */
  readonly isWritten: boolean;
  /** Problems of the last part that was not written. */
  readonly why: readonly string[];
};

async function halve(
  format: BankFormat,
  file: FileDocument,
  payments: readonly PaymentToWrite[],
): Promise<Halved | ProfileFaults> {
  const queue = [payments];
  const parts: (readonly PaymentToWrite[])[] = [];
  const atFault: StoredFault[] = [];
  let isWritten = false;
  let why: readonly string[] = [];
  for (let tries = 0; tries < triesMax; tries += 1) {
    const part = queue.shift();
    if (part === undefined) break;
    // Lets other work run, because a writer may block the thread for a second.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const writing = await tryToWrite(format, file, part);
    if (!isRefused(writing)) {
      parts.push(part);
      isWritten ||= writing.file !== undefined;
      continue;
    }
    if (writing.refused === "UNWRITABLE") return writing;
    why = writing.problems;
    const middle = Math.ceil(part.length / 2);
    const [first, second] = [part.slice(0, middle), part.slice(middle)];
    if (second.length > 0) queue.push(first, second);
    else atFault.push(...faultsOf(part, writing));
  }
  return { parts, atFault, isWritten, why };
}

/** Returns the fault of a payment that was written alone. */
function faultsOf(part: readonly PaymentToWrite[], { problems }: FileDefect): StoredFault[] {
  return part.map(({ payment }) => ({
    id: payment._id,
    field: "payment",
    problem: problems.join("; "),
  }));
}
