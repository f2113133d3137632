import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Unread } from "./iso20022/reports/report.ts";
import { readStatements, type StatementFile } from "./iso20022/reports/statement.ts";
import { readStatusReport, type StatusReport } from "./iso20022/reports/status-report.ts";
import type { Unreadable } from "./iso20022/reports/xml.ts";
import { type ReadAch, readAch } from "./nacha/read.ts";

/** One message or one NACHA file. A file of a bank may contain several. */
export type BankDocument =
  | { readonly kind: "status"; readonly report: StatusReport }
  | { readonly kind: StatementFile["kind"]; readonly file: StatementFile }
  | { readonly kind: "ach"; readonly file: ReadAch };

/** A file of a bank, read. `unread` is about the file; each document has its own. */
export type BankFile = {
  readonly documents: readonly BankDocument[];
  readonly unread: readonly Unread[];
};

/** Reads every document of a file, or none. */
export function readBankFile(bytes: Uint8Array): BankFile | Unreadable {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 4_096)).replaceAll("\0", "");
  if (!/^[^\x20-\x7e]*\s*</.test(head)) {
    const file = readAch(bytes);
    return isRefused(file) ? file : { documents: [{ kind: "ach", file }], unread: [] };
  }
  if (head.includes("CstmrPmtStsRpt")) {
    const report = readStatusReport(bytes);
    return isRefused(report) ? report : { documents: [{ kind: "status", report }], unread: [] };
  }
  const file = readStatements(bytes);
  return isRefused(file) ? file : { documents: [{ kind: file.kind, file }], unread: [] };
}
