import type { Statement } from "../iso20022/reports/statement.ts";
import type { BankDocument, BankFile } from "../read.ts";
import { payoutIdOf } from "../references.ts";
import { achVerdicts } from "./ach-verdicts.ts";
import { type AccountProfile, entryInformation, entryVerdicts } from "./entry-verdicts.ts";
import type { References, SentPayments } from "./sent-payment.ts";
import { type StatusProfile, statusVerdicts } from "./status-verdicts.ts";
import { graverOf } from "./unknown-outcome.ts";
import type { Verdict } from "./verdict.ts";

/** Settings to judge the files of one bank account. */
export type JudgingProfile = AccountProfile &
  StatusProfile & {
    /**
     * True if bookings settle payments. False for rails with NACHA files, whose banks book each
     * file as one sum. Such a rail uses only the balances of statements.
     */
    readonly entriesSettle: boolean;
  };

/** The references to our payments in a file. */
export type Wanted = {
  readonly payoutIds: readonly string[];
  readonly uetrs: readonly string[];
  readonly bankReferences: readonly string[];
  readonly files: readonly string[];
  readonly blocks: readonly string[];
  readonly traces: readonly string[];
};

/** Returns the references of the payments to load before judging a file, without duplicates. */
export function wantedOf(file: BankFile, profile: JudgingProfile): Wanted {
  const names = {
    payoutIds: new Set<string>(),
    uetrs: new Set<string>(),
    bankReferences: new Set<string>(),
    files: new Set<string>(),
    blocks: new Set<string>(),
    traces: new Set<string>(),
  };
  const addReferences = ({ endToEndId, instructionId, uetr, bankReference }: References) => {
    for (const reference of [endToEndId, instructionId]) {
      const payoutId = payoutIdOf(reference ?? "");
      if (payoutId !== undefined) names.payoutIds.add(payoutId);
    }
    if (uetr !== undefined) names.uetrs.add(uetr.trim().toLowerCase());
    if (bankReference !== undefined) names.bankReferences.add(bankReference);
  };
  const addBlock = (id: string | undefined) => {
    if (id !== undefined) names.blocks.add(capitals(id));
  };
  for (const document of file.documents) {
    if (document.kind === "ach") {
      for (const { entries } of document.file.batches) {
        for (const each of entries.flatMap((entry) => entry.addenda)) {
          if ("originalTrace" in each) names.traces.add(each.originalTrace);
        }
      }
    } else if (document.kind === "status") {
      const { original, batches } = document.report;
      if (original.messageId !== undefined) names.files.add(capitals(original.messageId));
      for (const batch of batches) {
        addBlock(batch.paymentInformationId);
        for (const payment of batch.payments) addReferences(payment);
      }
    } else if (profile.entriesSettle) {
      for (const entry of document.file.statements.flatMap(({ entries }) => entries)) {
        addReferences({ bankReference: entry.bankReference });
        for (const each of entry.batches) addBlock(each.paymentInformationId);
        for (const each of entry.transactions) {
          addBlock(each.paymentInformationId);
          addReferences(each);
        }
      }
    }
  }
  return {
    payoutIds: [...names.payoutIds],
    uetrs: [...names.uetrs],
    bankReferences: [...names.bankReferences],
    files: [...names.files],
    blocks: [...names.blocks],
    traces: [...names.traces],
  };
}

/** Normalises a reference, because banks write it in capitals or with blanks around it. */
const capitals = (text: string) => text.trim().toUpperCase();

/** A verdict, and the document of the file that gives it. */
export type FileVerdict = Verdict & {
  /** Counts from 1, because a file may contain several documents. */
  readonly document: number;
};

/**
 * Judges a file document by document. Facts from one document apply to the next. In a NACHA file,
 * facts from one entry apply to the next entry, because several entries may return one payment.
 */
export function judge(file: BankFile, sent: SentPayments, profile: JudgingProfile): FileVerdict[] {
  return file.documents.flatMap((document, index) => {
    const verdicts: FileVerdict[] = [];
    for (const each of verdictsOf(document, sent, profile)) {
      verdicts.push({ ...each, document: index + 1 });
      if (each.verdict !== "unknown_outcome") continue;
      const { payoutId, why } = each;
      sent.learn(payoutId, { unknownOutcome: graverOf(sent.get(payoutId).unknownOutcome, why) });
    }
    return verdicts;
  });
}

function verdictsOf(
  document: BankDocument,
  sent: SentPayments,
  profile: JudgingProfile,
): Iterable<Verdict> {
  switch (document.kind) {
    case "ach":
      return achVerdicts(document.file, sent);
    case "status":
      return statusVerdicts(document.report, sent, profile);
    case "report":
      return eachStatement(document.file.statements, (each) => entryInformation(each, sent));
    default: {
      const { kind, file } = document;
      if (!profile.entriesSettle) return [];
      return eachStatement(file.statements, (each) => entryVerdicts(each, kind, sent, profile));
    }
  }
}

/** If a document has several statements, the place of an entry includes the statement. */
function eachStatement(
  statements: readonly Statement[],
  judged: (statement: Statement) => Verdict[],
): Verdict[] {
  if (statements.length === 1) return statements.flatMap(judged);
  return statements.flatMap((statement, index) =>
    judged(statement).map((verdict) => {
      const place = `statement ${index + 1}/${verdict.source.place}`;
      return { ...verdict, source: { ...verdict.source, place } };
    }),
  );
}
