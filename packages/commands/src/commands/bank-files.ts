import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { Argument, CallCommand, Option } from "../table/command.ts";

const operations = PayoutOperatorService.method;

const finding: Argument = {
  name: "finding",
  field: "finding_id",
  about: "the finding's id",
  source: { list: "bank-files findings", value: "id", name: "what" },
};
const ofRail: Option = { name: "rail", field: "rail", about: "of this rail" };

export const bankFileCommands: readonly CallCommand[] = [
  {
    name: "bank-files list",
    summary: "files sent to banks, newest first",
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
    summary: "decide whether the bank received a file that its server doesn't show",
    details:
      "Ask the bank for the file by its message id first. A received file isn't sent again; a file\n" +
      "that the bank doesn't have is sent again unchanged. Needs a second person.",
    examples: [
      'bank-files resolve 01K… --decision received --reason "ticket 4711: received at 15:46"',
    ],
    method: operations.resolveBankFile,
    arguments: [
      {
        name: "file",
        field: "file_id",
        about: "the file's message id",
        source: { list: "bank-files list", value: "id", name: "name" },
      },
    ],
    options: [
      { name: "decision", field: "decision", about: "the bank's answer", isRequired: true },
      {
        name: "reason",
        field: "reason",
        about: "the bank's statement, and who gave it",
        isRequired: true,
      },
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
        about: "include handled findings",
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
    summary: "one finding, with the change that the bank proposes",
    details:
      "The proposed change may name a beneficiary and an account. Only treasury may read it.",
    examples: ["bank-files show 9f86d0…"],
    method: operations.getBankFinding,
    arguments: [finding],
    show: { record: "" },
  },
  {
    name: "bank-files handle",
    summary: "handle a finding",
    details:
      "A finding that blocks its file needs a second person and the resolution read_again or\n" +
      "nothing_of_ours. Use `bank-files outcome` to apply an outcome to payments.",
    examples: [
      'bank-files handle 9f86d0… --note "the fee of November, booked as a sweep"',
      'bank-files handle 9f86d0… --resolution read_again --content fixed.ach --note "the bank sent it anew"',
    ],
    method: operations.handleBankFinding,
    arguments: [finding],
    options: [
      { name: "note", field: "note", about: "what you found and did", isRequired: true },
      { name: "resolution", field: "resolution", about: "the resolution; noted by default" },
      {
        name: "content",
        field: "content",
        value: "file",
        about: "corrected content to read instead of the bank's",
        isFile: true,
      },
    ],
    show: { record: "finding" },
  },
  {
    name: "bank-files outcome",
    summary: "set the outcome of the payments that a finding concerns",
    details:
      "Needs a second person. not_executed releases the held money: use it only if the bank confirms\n" +
      "that it did not pay and will not pay. A finding that names a payment is then handled; any\n" +
      "other stays open until it is handled with the resolution nothing_of_ours.",
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
        about: "the outcome of each payment",
        isRequired: true,
      },
      { name: "code", field: "outcomes.*.reason_code", about: "the bank's reason code" },
      {
        name: "returned-amount",
        field: "outcomes.*.returned_amount",
        about: "the returned amount, if it is less than the payment",
      },
      { name: "note", field: "note", about: "what you found and did", isRequired: true },
    ],
    show: { record: "finding" },
  },
];
