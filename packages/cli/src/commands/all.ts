import { callCommands, callGroups, type Group } from "@disburse/commands/commands/all.ts";
import { completionCommands } from "../completion.ts";
import type { CommandLine } from "../table/command-line.ts";
import { approvalCommands } from "./approvals.ts";
import { auditCommands } from "./audit.ts";
import { beneficiaryCommands } from "./beneficiaries.ts";
import { caseCommands } from "./cases.ts";
import { checkBankFiles } from "./check-bank-files.ts";
import { planCommands } from "./corridors.ts";
import { doctorCommands } from "./doctor.ts";
import { listImportCommands } from "./list-import.ts";
import { sessionCommands } from "./session.ts";
import { statusCommands } from "./status.ts";
import { verifyCommands } from "./verify.ts";

/** This package's version; a test compares it with `package.json`. */
export const version = "0.1.0";

const groups: readonly Group[] = [
  { name: "login", summary: "sign in" },
  { name: "logout", summary: "end the login" },
  { name: "whoami", summary: "show the signed-in identity" },
  { name: "status", summary: "health and version of every service" },
  { name: "doctor", summary: "settings, certificates and dependencies of every service" },
  ...callGroups,
  { name: "approvals", summary: "operators' requests that need a second person's approval" },
  { name: "audit", summary: "audit trails of operators' actions" },
  { name: "verify", summary: "verify a payout's signed receipt" },
  { name: "completion", summary: "shell completion" },
  { name: "complete", summary: "print completions for the completion scripts" },
];

export const commandLine: CommandLine = {
  groups,
  commands: [
    ...[...sessionCommands, ...statusCommands, ...doctorCommands],
    ...[...callCommands, ...caseCommands],
    ...[checkBankFiles, ...beneficiaryCommands, ...planCommands, ...listImportCommands],
    ...[...approvalCommands, ...auditCommands, ...verifyCommands],
    ...completionCommands(() => commandLine),
  ],
  version,
};
