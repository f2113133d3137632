import { isRefused } from "@disburse/kernel/refusal.ts";
import type { StatementFile } from "./iso20022/reports/statement.ts";
import type { StatusReport } from "./iso20022/reports/status-report.ts";
import type { ReadAch } from "./nacha/read.ts";
import { type BankDocument, type BankFile, readBankFile } from "./read.ts";

/** Reads all documents of a file. Throws if it is refused. */
export function readWhole(bytes: Uint8Array): BankFile {
  const file = readBankFile(bytes);
  if (isRefused(file)) throw new Error(file.detail);
  return file;
}

/** Removes line numbers from a parsed file, because cards and blank lines shift them. */
export function withoutLines({ documents, unread }: BankFile): unknown {
  return JSON.parse(
    JSON.stringify({ documents, unread }, (key, value) => {
      if (key === "line") return undefined;
      return typeof value === "bigint" ? `${value}n` : value;
    }),
  );
}

/** Returns the only document of a file. Throws if the file has a second document or a problem. */
function onlyDocument(bytes: Uint8Array): BankDocument {
  const file = readWhole(bytes);
  const [document, ...others] = file.documents;
  if (document === undefined || others.length > 0)
    throw new Error("the file does not contain exactly one document");
  if (file.unread.length > 0) throw new Error(JSON.stringify(file.unread));
  return document;
}

export function readOnlyStatus(bytes: Uint8Array): StatusReport {
  const document = onlyDocument(bytes);
  if (document.kind !== "status")
    throw new Error(`the document has the unexpected kind ${document.kind}`);
  return document.report;
}

/** Returns the only statement, notification or report of a file. */
export function readOnlyStatement(bytes: Uint8Array): StatementFile {
  const document = onlyDocument(bytes);
  if (document.kind === "status" || document.kind === "ach") {
    throw new Error(`the document has the unexpected kind ${document.kind}`);
  }
  return document.file;
}

export function readOnlyAch(bytes: Uint8Array): ReadAch {
  const document = onlyDocument(bytes);
  if (document.kind !== "ach")
    throw new Error(`the document has the unexpected kind ${document.kind}`);
  return document.file;
}
