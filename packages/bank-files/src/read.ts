import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Unread } from "./iso20022/reports/report.ts";
import { type StatementFile, statementReader } from "./iso20022/reports/statement.ts";
import { type StatusReport, statusReader } from "./iso20022/reports/status-report.ts";
import { type MessageReader, readXml, type Unreadable } from "./iso20022/reports/xml.ts";
import { type ReadAch, readAchFiles } from "./nacha/read.ts";
import { columnText, fileBytesMax, formatOf, tooLarge, xmlText } from "./normalise/text.ts";

/** One message or one NACHA file. A bank's file may contain several of them. */
export type BankDocument =
  | { readonly kind: "status"; readonly report: StatusReport }
  | { readonly kind: StatementFile["kind"]; readonly file: StatementFile }
  | { readonly kind: "ach"; readonly file: ReadAch };

/**
 * A parsed bank file. `unread` lists problems outside of documents. Each document lists its own
 * problems.
 */
export type BankFile = {
  readonly documents: readonly BankDocument[];
  readonly unread: readonly Unread[];
};

/**
 * Reads a bank's file: status reports (pain.002), statements, notifications and reports (camt.053,
 * .054, .052) of any version, and NACHA files. Reads every document, or refuses the file. The text
 * of the file decides the format, not its name. Any encoding, line ends, padding, transmission
 * cards and envelopes are accepted. Memory use depends on the result, not on the size of the text.
 * The result can be sent to another thread.
 */
export function readBankFile(bytes: Uint8Array): BankFile | Unreadable {
  if (bytes.length > fileBytesMax) return tooLarge;
  switch (formatOf(bytes)) {
    case "xml":
      return readMessages(bytes);
    case "ach":
      return readNacha(bytes);
    case undefined:
      return refused("UNREADABLE", "is neither XML nor a NACHA file");
  }
}

function readMessages(bytes: Uint8Array): BankFile | Unreadable {
  const text = xmlText(bytes);
  const file = readXml(text.chunks, readerFor);
  if (isRefused(file)) return file;
  const problems = text.problems();
  if (file.outside > 0) problems.push(`lines outside of its documents: ${file.outside}`);
  return {
    documents: file.documents,
    unread: problems.map((problem) => ({ place: "file", problem })),
  };
}

function readerFor(name: string): MessageReader<BankDocument> | undefined {
  const status = statusReader(name);
  if (status !== undefined) {
    return documentReader(status, (report) => ({ kind: "status", report }));
  }
  const statements = statementReader(name);
  return statements && documentReader(statements, (file) => ({ kind: file.kind, file }));
}

function documentReader<Message>(
  reader: MessageReader<Message>,
  documentOf: (message: Message) => BankDocument,
): MessageReader<BankDocument> {
  return {
    shape: reader.shape,
    repeated: reader.repeated,
    take: (element, parent) => reader.take(element, parent),
    end: (root, namespace) => documentOf(reader.end(root, namespace)),
  };
}

function readNacha(bytes: Uint8Array): BankFile | Unreadable {
  const read = readAchFiles(columnText(bytes));
  if (isRefused(read)) return read;
  return {
    documents: read.files.map((file) => ({ kind: "ach", file })),
    unread: read.outside.map(({ line, problem }) => ({ place: `line ${line}`, problem })),
  };
}
