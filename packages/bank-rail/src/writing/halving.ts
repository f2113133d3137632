import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { FileDocument, StoredFault } from "../documents.ts";
import type { BankFormat, FileDefect, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";

/**
 * Parts that are tried of one file: enough to find some ten payments at fault among 20,000, and to
 * try each alone among a hundred. Each try writes and checks a part.
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

/** Whether each payment is in the file or left out, once: what is neither would be paid again. */
function isOfEach({ file, leftOut }: Writing, payments: readonly PaymentToWrite[]): boolean {
  const ids = [...(file?.members ?? []), ...leftOut].map(({ id }) => id);
  const given = new Set(payments.map(({ payment }) => payment._id));
  return (
    ids.length === payments.length &&
    new Set(ids).size === given.size &&
    ids.every((id) => given.has(id))
  );
}

/** The first line of a stack that names a file: its name and the line, without its folders. */
const frame = /^ +at .*?([\w.-]+\.[a-z]+)(?:\?[^:]*)?:(\d+):\d+\)?$/m;

/** Where an exception was thrown. Its message may have personal data: it is left out. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no error";
  const [, name, line] = frame.exec(error.stack ?? "") ?? [];
  return name === undefined ? error.name : `${error.name} at ${name}:${line}`;
}

/**
 * Writes a file of those payments that make one, where all of them together make none. They are
 * halved until each part is written or a payment is alone: that payment is at fault and left out.
 * Payments that are neither in the file nor left out were not given to the writer.
 *
 * No payment is at fault if a payment that fits any file cannot be written either, or if none of
 * several payments can be written: then the writer may be wrong, and the file is held.
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
  // Parts that pass a limit together go into several files.
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
  /** Parts that were written, the largest ones first. */
  readonly parts: readonly (readonly PaymentToWrite[])[];
  readonly atFault: readonly StoredFault[];
  /** Whether a part made a file; a part whose payments are all refused makes none. */
  readonly isWritten: boolean;
  /** Why the last part was not written. */
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
    // A writer may work for a second without a pause.
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

/** The fault of a payment that was alone. */
function faultsOf(part: readonly PaymentToWrite[], { problems }: FileDefect): StoredFault[] {
  return part.map(({ payment }) => ({
    id: payment._id,
    field: "payment",
    problem: problems.join("; "),
  }));
}
