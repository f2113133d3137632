import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { Argument, CallCommand, Option, UploadCommand } from "../table/command.ts";

const screening = ComplianceService.method;
const review = ComplianceReviewService.method;

const alert: Argument = {
  name: "alert",
  field: "alert_id",
  about: "the alert's id, alr_…",
  source: { list: "alerts list", value: "id", name: "hit.matched_name" },
};
const list: Argument = {
  name: "list",
  field: "list",
  about: "the list's name",
  source: { list: "lists list", value: "list" },
};
const reason: Option = {
  name: "reason",
  field: "reason",
  about: "the reason for the decision",
  isRequired: true,
};

const merchantOf: Option = { name: "merchant", field: "merchant_id", about: "of this merchant" };
const recordOf: Option = {
  name: "record",
  field: "record_id",
  about: "of this record, ben_… or dep_…",
};
const screenedFor: Option = { ...merchantOf, field: "subject.merchant_id", isRequired: true };

const screeningCommands: readonly CallCommand[] = [
  {
    name: "lists list",
    summary: "the version in force of each sanctions list",
    examples: ["lists list"],
    method: screening.listLists,
    show: { list: "lists", columns: ["list", "version", "entries", "imported_at", "checksum"] },
  },
  {
    name: "lists retained",
    summary:
      "entries that a list no longer contains, but that stay in force until their removal is approved",
    details:
      "`approvals list` shows the proposal to remove each, with the parties that it would clear.",
    examples: ["lists retained"],
    method: screening.listLists,
    show: { list: "retained", columns: ["list", "forms", "since", "import_id"] },
  },
  {
    name: "lists remove-retained",
    summary: "repeat the proposal to remove entries that a list no longer contains",
    details: "Another person has to approve it.",
    examples: ["lists remove-retained ofac_sdn --import 7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    method: screening.removeRetainedEntries,
    arguments: [list],
    options: [
      {
        name: "import",
        field: "import_id",
        isRequired: true,
        about: "the import's id, from `lists retained`",
        source: { list: "lists retained", value: "import_id", name: "list" },
      },
    ],
    show: { record: "version" },
  },
  {
    name: "lists imports",
    summary: "all imports, including refused ones, newest first",
    examples: ["lists imports", "lists imports --list ofac_sdn"],
    method: screening.listImports,
    options: [{ name: "list", field: "list", about: "only this list" }],
    show: {
      list: "imports",
      columns: [
        ...["id", "version.list", "version.version", "state", "change.added"],
        ...["change.changed", "change.removed", "retained", "started_at", "problem"],
      ],
    },
  },
  {
    name: "lists sources",
    summary: "sources of lists, with the result of their last check",
    examples: ["lists sources"],
    method: screening.listSources,
    show: {
      list: "sources",
      columns: ["list", "format_name", "outcome", "checked_at", "next_check_at", "problem"],
    },
  },
  {
    name: "lists check",
    summary: "check a source for a new version now",
    examples: ["lists check ofac_sdn"],
    method: screening.checkSource,
    arguments: [list],
    show: { record: "source" },
  },
  {
    name: "screenings list",
    summary: "screenings, newest first",
    examples: ["screenings list --verdict review", "screenings list --record ben_01k…"],
    method: screening.listScreenings,
    options: [
      merchantOf,
      recordOf,
      { name: "verdict", field: "verdict", about: "with this verdict" },
    ],
    show: {
      list: "screenings",
      columns: [
        ...["id", "verdict", "kind", "trigger", "subject.merchant_id", "subject.record_id"],
        "created_at",
      ],
    },
  },
  {
    name: "screenings get",
    summary: "a screening with its subject, and every hit with its reasons",
    examples: ["screenings get scr_01k…"],
    method: screening.getScreening,
    arguments: [
      {
        name: "screening",
        field: "screening_id",
        about: "the screening's id, scr_…",
        source: { list: "screenings list", value: "id", name: "verdict" },
      },
    ],
    show: { record: "screening" },
  },
  {
    name: "screenings rescreen",
    summary: "compare a record, or all records of a merchant, with the lists in force again",
    details:
      "One record is compared at once. All records of a merchant are compared in the background,\n" +
      "within minutes.",
    examples: ["screenings rescreen mer_01k… --record ben_01k…", "screenings rescreen mer_01k…"],
    method: screening.rescreenSubjects,
    arguments: [
      {
        name: "merchant",
        field: "merchant_id",
        about: "the merchant's id, mer_…",
        source: { list: "merchants list", value: "id", name: "name" },
      },
    ],
    options: [{ ...recordOf, about: "only this record, ben_… or dep_…" }],
    show: { record: "" },
  },
  {
    name: "screenings wallet",
    summary: "screen a wallet now",
    examples: [
      "screenings wallet 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --network ETHEREUM --merchant mer_01k…",
    ],
    method: screening.screenWallet,
    arguments: [{ name: "address", field: "address", about: "the wallet's address" }],
    options: [
      {
        name: "network",
        field: "networks",
        isMany: true,
        about:
          "ETHEREUM, POL, BNB, SOLANA, TRX, BTC; by default all for which the address is valid",
      },
      screenedFor,
    ],
    show: { record: "screening" },
  },
  {
    name: "screenings party",
    summary: "screen a person or a company now",
    examples: [
      'screenings party "Zoltvar Quimbrandt" --type individual --country DE --merchant mer_01k…',
    ],
    method: screening.screenParty,
    arguments: [{ name: "name", field: "parties.0.name", about: "the full name" }],
    options: [
      { name: "type", field: "parties.0.type", about: "the type of party", isRequired: true },
      {
        name: "date",
        field: "parties.0.date",
        about: "date of birth or incorporation: 1971-03-14",
      },
      {
        name: "country",
        field: "parties.0.countries",
        isMany: true,
        about: "country of residence, citizenship or birth, two letters",
      },
      {
        name: "document",
        field: "parties.0.documents.0.number",
        about: "the number of an identity document",
      },
      {
        name: "document-country",
        field: "parties.0.documents.0.country",
        about: "the country that issued the document",
      },
      screenedFor,
    ],
    show: { record: "screening" },
  },
];

const alertCommands: readonly CallCommand[] = [
  {
    name: "alerts list",
    summary: "alerts that need a decision, longest waiting first",
    examples: ["alerts list", "alerts list --state true_match --merchant mer_01k…"],
    method: review.listAlerts,
    options: [
      { name: "state", field: "states", about: "in this state", isMany: true },
      { name: "assignee", field: "assignee", about: "assigned to this person" },
      merchantOf,
      recordOf,
      { name: "list", field: "list", about: "with an entry of this sanctions list" },
      { name: "score", field: "score_from", about: "with at least this score, 0 to 1" },
    ],
    show: {
      list: "alerts",
      columns: [
        ...["id", "state", "party_name", "hit.matched_name", "hit.list", "hit.score"],
        ...["subject.record_id", "assignee", "waiting_since", "due_at"],
      ],
    },
  },
  {
    name: "alerts get",
    summary: "an alert with its screening, its subject, every action, its files and related alerts",
    examples: ["alerts get alr_01k…"],
    method: review.getAlert,
    arguments: [alert],
    show: { record: "" },
  },
  {
    name: "alerts assign",
    summary: "assign an alert to a person, or unassign it",
    examples: ["alerts assign alr_01k… carol", "alerts assign alr_01k…"],
    method: review.assignAlert,
    arguments: [
      alert,
      {
        name: "person",
        field: "assignee",
        about: "the assignee; unassigned if omitted",
        isOptional: true,
      },
    ],
    show: { record: "alert" },
  },
  {
    name: "alerts comment",
    summary: "add a comment to an alert",
    details: "It decides nothing. Nobody can change or remove it.",
    examples: ['alerts comment alr_01k… "asked the bank for the passport"'],
    method: review.commentAlert,
    arguments: [
      alert,
      { name: "comment", field: "comment", about: "the comment, at most 2,000 characters" },
    ],
    show: { record: "alert" },
  },
  {
    name: "alerts add-file",
    summary: "add a file to an alert as evidence",
    details: "A PDF, PNG, JPEG or text file of at most 3 MiB. Nobody can change or remove it.",
    examples: ["alerts add-file alr_01k… --name passport.pdf --content passport.pdf"],
    method: review.addAlertFile,
    arguments: [alert],
    options: [
      { name: "name", field: "name", about: "the name of the file", isRequired: true },
      {
        name: "content",
        field: "content",
        value: "file",
        about: "the content",
        isFile: true,
        isRequired: true,
      },
    ],
    show: { record: "file" },
  },
  {
    name: "alerts decide",
    summary: "decide an alert",
    details:
      "A false positive takes effect at once. A true match takes effect when another person approves\n" +
      "it. Until then the party stays blocked.",
    examples: [
      'alerts decide alr_01k… --decision false_positive --reason "another date of birth and country"',
    ],
    method: review.decideAlert,
    arguments: [alert],
    options: [
      { name: "decision", field: "decision", about: "the decision", isRequired: true },
      reason,
    ],
    show: { record: "alert" },
  },
  {
    name: "alerts reopen",
    summary: "reopen a decided alert",
    details: "The decision is taken back, and the alert waits for a decision again.",
    examples: ['alerts reopen alr_01k… --reason "the customer sent a new document"'],
    method: review.reopenAlert,
    arguments: [alert],
    options: [reason],
    show: { record: "alert" },
  },
];

export const listImport: UploadCommand = {
  name: "lists import",
  summary: "replace a sanctions list with the content of files, in one step",
  details:
    "Entries that the new list lacks stay in force until another person approves their removal. An\n" +
    "import is refused if it removes or replaces more than 2 % of the search keys, or if the files\n" +
    "look incomplete (truncated, or OFAC without aliases). A reason permits it; another person then\n" +
    "has to approve incomplete files.",
  examples: [
    "lists import internal internal.jsonl --list-version 2026-11-20",
    "lists import ofac_sdn primary=sdn.csv alternates=alt.csv --list-version 2026-11-20 --format ofac_csv",
    "lists import internal internal.jsonl --list-version 2026-11-20 --compare",
  ],
  method: screening.importList,
  arguments: [
    { ...list, field: "header.list", about: "the list's name: ofac_sdn" },
    { name: "files", about: "the list's file, or several as name=path", isMany: true },
  ],
  options: [
    {
      name: "list-version",
      field: "header.version",
      about: "the publisher's version name",
      isRequired: true,
    },
    {
      name: "format",
      field: "header.format_name",
      about: "the files' format; json_lines by default",
      choices: ["json_lines", "ofac_csv", "un_xml", "eu_csv", "uk_csv"],
    },
    {
      name: "accept-drop",
      field: "header.accept_drop_reason",
      value: "reason",
      about: "the reason to permit such a loss",
    },
    {
      name: "compare",
      field: "header.compare_only",
      value: "",
      about: "compare the files with the version in force, and change nothing",
    },
  ],
  fileNames: { ofac_csv: ["primary", "alternates", "addresses", "comments"] },
};

export const complianceCommands = [...screeningCommands, ...alertCommands];
