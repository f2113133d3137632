import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Unreadable } from "../iso20022/reports/xml.ts";
import { statementDays } from "../matching/balance.ts";
import type { FileSummary, UnreadPart } from "../matching/findings.ts";
import { type FileVerdict, type JudgingProfile, judge, wantedOf } from "../matching/judge.ts";
import { type SentPayment, SentPayments } from "../matching/sent-payment.ts";
import { type BankDocument, type BankFile, readBankFile } from "../read.ts";

/** A bank file that is open for judging, in this thread or in another. */
export type OpenedFile = {
  readonly summary: FileSummary;
  /**
   * Judges the file for these payments, which arrive in pieces. You can call it again with newer
   * payments. Throws `ReadingFailed`.
   */
  judge(payments: Iterable<readonly SentPayment[]>): AsyncIterable<readonly FileVerdict[]>;
  close(): Promise<void>;
};

/** A reader failed with a file: it threw, or exceeded its memory or time. */
export class ReadingFailed extends Error {
  override readonly name = "ReadingFailed";
}

/** Opens a file for judging. Throws `ReadingFailed`. */
export type OpenBankFile = (
  bytes: Uint8Array,
  profile: JudgingProfile,
) => Promise<OpenedFile | Unreadable>;

/** The maximum number of listed unreadable parts per file. Further parts are only counted. */
const unreadMax = 200;

/** Reads a bank file and decides about its payments in the caller's thread. */
export const openHere: OpenBankFile = async (bytes, profile) => {
  const file = guarded(() => readBankFile(bytes));
  if (isRefused(file)) return file;
  return {
    summary: guarded(() => summaryOf(file, profile)),
    judge: async function* (payments) {
      const sent = new SentPayments();
      for (const piece of payments) sent.add(piece);
      yield guarded(() => judge(file, sent, profile));
    },
    close: async () => undefined,
  };
};

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ReadingFailed("the reader failed", { cause: error });
  }
}

export function summaryOf(file: BankFile, profile: JudgingProfile): FileSummary {
  return {
    documents: file.documents.map((each) => ({ kind: each.kind, version: versionOf(each) })),
    unread: unreadOf(file),
    wanted: wantedOf(file, profile),
    days: file.documents.flatMap((each) =>
      "file" in each && "statements" in each.file ? statementDays(each.file, profile.accounts) : [],
    ),
  };
}

function versionOf(document: BankDocument): string {
  if (document.kind === "ach") return "";
  return (document.kind === "status" ? document.report : document.file).version ?? "";
}

function unreadOf(file: BankFile): UnreadPart[] {
  const isAch = file.documents.some(({ kind }) => kind === "ach");
  const own = file.unread.map((each) => ({ ...each, mayHideReturn: isAch }));
  const parts = file.documents.flatMap((document, index): UnreadPart[] => {
    const prefix = file.documents.length === 1 ? "" : `document ${index + 1}: `;
    if (document.kind !== "ach") {
      const { unread } = document.kind === "status" ? document.report : document.file;
      return unread.map(({ place, problem }) => {
        return { place: `${prefix}${place}`, problem, mayHideReturn: false };
      });
    }
    return document.file.unread.map(({ line, problem }) => {
      return { place: `${prefix}line ${line}`, problem, mayHideReturn: true };
    });
  });
  const all = [...own, ...parts];
  if (all.length <= unreadMax) return all;
  const left = all.slice(unreadMax);
  const more: UnreadPart = {
    place: "file",
    problem: `${left.length} more parts were not read`,
    mayHideReturn: left.some(({ mayHideReturn }) => mayHideReturn),
  };
  return [...all.slice(0, unreadMax), more];
}
