import type { AchPart, Instructed } from "../instructions.ts";

/** A returned, changed or contested ACH entry. */
export type AchAnswer = { readonly payment: Instructed & { readonly ach: AchPart } } & (
  | { readonly kind: "return"; readonly code: string }
  /** Contests a dishonored return. */
  | { readonly kind: "contested"; readonly code: string }
  | { readonly kind: "change"; readonly code: string; readonly corrected: string }
);

const digits = (value: bigint | number | string, length: number) =>
  String(value).padStart(length, "0").slice(-length);
const text = (value: string, length: number) => value.slice(0, length).padEnd(length);

function stampOf(at: Date): readonly [day: string, time: string] {
  const iso = at.toISOString();
  return [iso.slice(2, 10).replaceAll("-", ""), iso.slice(11, 16).replace(":", "")];
}

/**
 * Creates a NACHA file of returns or changes, as a receiving bank does (NACHA Operating Rules,
 * appendices four and five). Each return or change has its own batch. `number` distinguishes the
 * files of a day.
 */
export function achAnswers(answers: readonly AchAnswer[], at: Date, number: number): Uint8Array {
  const [day, time] = stampOf(at);
  const modifier = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".charAt(number % 36);
  const odfi = answers[0]?.payment.ach.odfi ?? "";
  const names = `${text("FEDERAL RESERVE BANK", 23)}${text("BANK SIMULATOR", 23)}${text("", 8)}`;
  const lines = [`101 ${text(`${odfi}0`, 9)} 061000146${day}${time}${modifier}094101${names}`];
  const batches = answers.map((answer, index) => batchOf(answer, index + 1, number));
  lines.push(...batches.flatMap((batch) => batch.lines));
  const hash = batches.reduce((sum, batch) => sum + batch.hash, 0n);
  const credits = batches.reduce((sum, { amount }) => sum + amount, 0n);
  const totals = `${digits(2 * batches.length, 8)}${digits(hash, 10)}${digits(0, 12)}${digits(credits, 12)}`;
  const blocks = Math.ceil((lines.length + 1) / 10);
  lines.push(text(`9${digits(batches.length, 6)}${digits(blocks, 6)}${totals}`, 94));
  while (lines.length % 10 !== 0) lines.push("9".repeat(94));
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
}

function batchOf(answer: AchAnswer, number: number, file: number) {
  const { payment, kind } = answer;
  const { ach, minor, creditorAccount, creditorName, reference } = payment;
  const isChange = kind === "change";
  const amount = isChange ? 0n : minor;
  // A return or change of a credit has a transaction code that ends in 1: 21 for checking accounts,
  // 31 for savings.
  const code = `${ach.transactionCode.slice(0, 1)}1`;
  const rdfi = ach.routing.slice(0, 8);
  const trace = `${rdfi}${digits(file * 1_000 + number, 7)}`;
  const class_ = isChange ? "COR" : ach.entryClass;
  const head = `5200${text(ach.companyName, 16)}${text("", 20)}${text(ach.companyId, 10)}${class_}${text("PAYOUT", 10)}${text("", 6)}000000   1${rdfi}${digits(number, 7)}`;
  const entry = `6${code}${digits(ach.odfi, 8)}${checkDigit(ach.odfi)}${text(creditorAccount, 17)}${digits(amount, 10)}${text(reference, 15)}${text(creditorName, 22)}  1${trace}`;
  const addenda = isChange
    ? `798${answer.code}${ach.trace}${text("", 6)}${rdfi}${text(answer.corrected, 29)}${text("", 15)}${trace}`
    : returnAddenda(answer, rdfi, trace);
  const hash = BigInt(ach.odfi);
  const sums = `${digits(2, 6)}${digits(hash, 10)}${digits(0, 12)}${digits(amount, 12)}`;
  const end = `8200${sums}${text(ach.companyId, 10)}${text("", 25)}${rdfi}${digits(number, 7)}`;
  return { lines: [head, entry, addenda, end], hash, amount };
}

function returnAddenda({ payment, kind, code }: AchAnswer, rdfi: string, trace: string): string {
  const { ach } = payment;
  if (kind === "return") {
    return `799${code}${ach.trace}${text("", 6)}${rdfi}${text("", 44)}${trace}`;
  }
  // R74 corrects a return that was dishonored as R68. The return's original code was R02.
  const before = `${trace}00102${trace}00268`;
  return `799${code}${ach.trace}${text("", 6)}${rdfi}${text("", 3)}${before} ${trace}`;
}

function checkDigit(eight: string): string {
  const weights = [3, 7, 1];
  const sum = Array.from(eight, (digit, at) => Number(digit) * (weights[at % 3] ?? 0));
  return String((10 - (sum.reduce((total, each) => total + each, 0) % 10)) % 10);
}
