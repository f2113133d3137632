import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { Argument, Command, Option } from "../table/command.ts";
import { checkBankFiles } from "./check-bank-files.ts";

const operations = PayoutOperationsService.method;

const finding: Argument = { name: "finding", field: "finding_id", about: "the finding's id" };
const ofRail: Option = { name: "rail", field: "rail", about: "of this rail" };

/** Commands for files of bank rails and their findings. */
export const bankFileCommands: readonly Command[] = [
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
    summary: "open findings in bank files, newest first",
    examples: ["bank-files findings", "bank-files findings --rail bank-ach --handled yes"],
    method: operations.listBankFindings,
    options: [
      ofRail,
      {
        name: "handled",
        field: "handled",
        value: "yes|no",
        about: "handled findings, too",
      },
    ],
    show: {
      list: "findings",
      columns: [
        ...["id", "rail", "kind", "holds", "what", "payout_id", "file", "place", "amount"],
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
    summary: "handle a finding",
    details:
      "A finding that holds needs a second person, and one of the resolutions read_again and\n" +
      "nothing_of_ours. `bank-files outcome` applies what a file says about a payment.",
    examples: [
      'bank-files handle 9f86d0… --note "the fee of November, booked as a sweep"',
      'bank-files handle 9f86d0… --resolution read_again --content fixed.ach --note "the bank sent it anew"',
    ],
    method: operations.handleBankFinding,
    arguments: [finding],
    options: [
      { name: "note", field: "note", about: "what was found out and done", isRequired: true },
      { name: "resolution", field: "resolution", about: "how it ends; noted by default" },
      {
        name: "content",
        field: "content",
        value: "file",
        about: "corrected content to read in place of the bank's",
        isFile: true,
      },
    ],
    show: { record: "finding" },
  },
  {
    name: "bank-files outcome",
    summary: "apply a finding's outcome to payments",
    details:
      "It needs a second person. not_executed releases the money that is held: only the bank's word\n" +
      "that it did not pay and will not is reason for it. A finding that names a payment ends; any\n" +
      "other stays open until `bank-files handle --resolution nothing_of_ours`.",
    examples: [
      'bank-files outcome 9f86d0… po_01K… --outcome returned --code R03 --note "line 7 of returns.ach"',
    ],
    method: operations.handleBankFinding,
    fixed: { resolution: "BANK_FINDING_RESOLUTION_OUTCOMES" },
    arguments: [
      finding,
      { name: "payout", field: "outcomes.*.payout_id", about: "the payouts' ids", isMany: true },
    ],
    options: [
      {
        name: "outcome",
        field: "outcomes.*.outcome",
        about: "what happened to each",
        isRequired: true,
      },
      { name: "code", field: "outcomes.*.reason_code", about: "the bank's reason code" },
      {
        name: "returned-amount",
        field: "outcomes.*.returned_amount",
        about: "what came back, where it is less than the payment",
      },
      { name: "note", field: "note", about: "what was found out and done", isRequired: true },
    ],
    show: { record: "finding" },
  },
  checkBankFiles,
];
