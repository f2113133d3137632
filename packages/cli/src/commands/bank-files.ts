import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { Argument, CallCommand, Option } from "../table/command.ts";

const operations = PayoutOperationsService.method;

const finding: Argument = { name: "finding", field: "finding_id", about: "the finding's id" };
const ofRail: Option = { name: "rail", field: "rail", about: "of this rail" };

/** Files that rails of banks send, and what operators look at of those that come back. */
export const bankFileCommands: readonly CallCommand[] = [
  {
    name: "bank-files list",
    summary: "files for banks, newest first",
    examples: ["bank-files list --rail bank-usd", "bank-files list --state undecided"],
    method: operations.listBankFiles,
    options: [ofRail, { name: "state", field: "state", about: "in this state" }],
    show: {
      list: "files",
      columns: [
        ...["id", "rail", "state", "name", "payments", "refused", "closes_at"],
        ...["sent_at", "sent_by", "problems"],
      ],
    },
  },
  {
    name: "bank-files resolve",
    summary: "say whether the bank has a file that its server does not show",
    details:
      "Ask the bank for the file by its message id first: what it has is not sent again, and what it\n" +
      "does not have goes out once more, byte for byte. It needs a second person.",
    examples: [
      'bank-files resolve 01K… --decision received --reason "ticket 4711: received at 15:46"',
    ],
    method: operations.resolveBankFile,
    arguments: [{ name: "file", field: "file_id", about: "the file's message id" }],
    options: [
      { name: "decision", field: "decision", about: "what the bank says", isRequired: true },
      { name: "reason", field: "reason", about: "its words, and whose", isRequired: true },
    ],
    show: { record: "file" },
  },
  {
    name: "bank-files findings",
    summary: "what of banks' files needs a person, newest first",
    examples: ["bank-files findings", "bank-files findings --rail bank-ach --handled yes"],
    method: operations.listBankFindings,
    options: [
      ofRail,
      {
        ...{ name: "handled", field: "handled", value: "yes|no" },
        about: "those that were handled, too",
      },
    ],
    show: {
      list: "findings",
      columns: [
        ...["id", "rail", "kind", "what", "payout_id", "file", "place", "amount"],
        ...["created_at", "handled_at"],
      ],
    },
  },
  {
    name: "bank-files show",
    summary: "one finding, with what the bank proposes",
    details:
      "What a bank proposes may name a beneficiary and an account: it is read by treasury alone.",
    examples: ["bank-files show 9f86d0…"],
    method: operations.getBankFinding,
    arguments: [finding],
    show: { record: "" },
  },
  {
    name: "bank-files handle",
    summary: "mark a finding as handled",
    details: "It changes no payout: payouts propose does.",
    examples: ['bank-files handle 9f86d0… --note "the fee of November, booked as a sweep"'],
    method: operations.handleBankFinding,
    arguments: [finding],
    options: [
      { name: "note", field: "note", about: "what was found out and done", isRequired: true },
    ],
    show: { record: "finding" },
  },
];
