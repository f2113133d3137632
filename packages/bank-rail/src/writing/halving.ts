import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { FileDocument, StoredFault } from "../documents.ts";
import type { BankFormat, FileDefect, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";

/**
 * Limits the parts that are tried of one file. It suffices to find about ten payments at fault
 * among 20,000, or to try each of a hundred alone. Each try writes and checks a part.
 */
const triesMax = 200;

/** Writes a file of these payments. Nothing is stored or sent; an exception is a defect. */
export async function tryToWrite(
  format: BankFormat,
  file: FileDocument,
  payments: readonly PaymentToWrite[],
): Promise<Writing | ProfileFaults | FileDefect> {
  try {
    const writing = await format.write(file, payments);
    if (isRefused(writing) || isOfEach(writing, payments)) return writing;
    return { ...refused("DEFECT"), problems: ["the writer lost a payment, or has one twice"] };
  } catch (error) {
    return { ...refused("DEFECT"), problems: [`the writer threw ${placeOf(error)}`] };
  }
}

/**
 * Returns true if each payment is either in the file or left out, once. Any other would be paid
 * again.
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

/** The first line of a stack that names a file: its name and the line, without folders. */
const frame = /^ +at .*?([\w.-]+\.[a-z]+)(?:\?[^:]*)?:(\d+):\d+\)?$/m;

/** Returns the place where an exception was thrown. Its message may have personal data. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no error";
  const [, name, line] = frame.exec(error.stack ?? "") ?? [];
  return name === undefined ? error.name : `${error.name} at ${name}:${line}`;
}

/**
 * Writes a file with the payments that can be written, if all of them together cannot. It halves
 * them until each part is written or a payment is alone. A payment that fails alone is at fault and
 * left out. Payments that are neither in the file nor left out were not given to the writer.
 *
 * No payment is at fault if a payment that fits any file cannot be written either, or if none of
 * several payments can be written. Then the writer may be wrong, and the file is held.
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
      problems: ["no part of its payments can be written", ...why],
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
  // Parts that exceed a limit together go into several files.
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
    return [`the writer threw ${placeOf(error)}`];
  }
}

type Halved = {
  /** Written parts, the largest first. */
  readonly parts: readonly (readonly PaymentToWrite[])[];
  readonly atFault: readonly StoredFault[];
  /** True if a part made a file; a part whose payments are all refused makes none. */
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
    // Yields: a writer may block for a second.
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
