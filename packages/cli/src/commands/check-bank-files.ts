import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import {
  shownCode,
  summaryFindings,
  verdictFindings,
} from "@disburse/bank-files/matching/findings.ts";
import {
  type FileVerdict,
  type JudgingProfile,
  judge,
} from "@disburse/bank-files/matching/judge.ts";
import { codeOf, mayProveNotExecuted } from "@disburse/bank-files/matching/proof.ts";
import { type SentPayment, SentPayments } from "@disburse/bank-files/matching/sent-payment.ts";
import { type BankDocument, readBankFile } from "@disburse/bank-files/read.ts";
import { anyAccount } from "@disburse/bank-files/reading/any-account.ts";
import { summaryOf } from "@disburse/bank-files/reading/opened-file.ts";
import { isIban } from "@disburse/bank-files/text/iban.ts";
import { moneyText, readMoney } from "@disburse/bank-files/text/minor-units.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { z } from "zod";
import { CommandError, usageError } from "../output/failure.ts";
import { readText } from "../plan/file.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

type Finding = { readonly kind: string; readonly text: string };

type Entry = {
  readonly reference: string;
  readonly verdict: string;
  readonly code: string;
  readonly amount: string;
  readonly currency: string;
};

/** The effect that a bank file would have on its rail. */
type Checked = {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  readonly findings: readonly Finding[];
  readonly entries: readonly Entry[];
};

/** The same size limit as for rails. */
const bytesMax = 64 * 2 ** 20;

/** Reads bank files with a rail's rules and changes nothing. */
export const checkBankFiles: OwnCommand = {
  name: "bank-files check",
  summary: "show what a rail would do with bank files, without changing anything",
  details:
    "Reads pain.002, camt.052, camt.053, camt.054 and NACHA files, and prints what a rail would do\n" +
    "with each entry. Calls no service. Run it on a bank's sample files before you go live.\n\n" +
    "--profile: one rail of BANK_RAILS, complete or in part. --sent: a list of sent payments with\n" +
    "the fields id, end_to_end_id, instruction_id, uetr, message_id, payment_information_id,\n" +
    "bank_reference, trace, company_id, transaction_code, account, amount, currency, state.\n" +
    "Without --sent every payment is unmatched, and this isn't a finding. Files are read in the\n" +
    "given order, and each builds on the previous ones. References of unknown payments are\n" +
    "masked.\n\n" +
    "Exit codes: 0 no findings, 1 findings, 2 unreadable file or wrong usage.",
  examples: [
    "bank-files check statement.xml --profile bank-usd.json",
    "bank-files check status.xml returns.ach --sent payments.json --json",
  ],
  isLocal: true,
  arguments: [{ name: "file", about: "a file from the bank", isMany: true }],
  options: [
    { name: "profile", value: "file", about: "the rail's settings, as JSON" },
    { name: "sent", value: "file", about: "the sent payments, as JSON" },
  ],
  run: async (invocation) => {
    const { world } = invocation;
    const profile = await readJson(invocation, "--profile", profileSchema);
    const sent = await readJson(invocation, "--sent", sentSchema);
    const judging = profile === undefined ? anyAccount : judgingProfile(profile);
    const known = new SentPayments(sent?.map(sentPayment));
    const files: Checked[] = [];
    for (const path of invocation.many("<file>")) {
      const checked = await check(resolve(world.folder, path), judging, known, sent !== undefined);
      files.push(checked);
    }
    const shown = files.map((each) => ({
      ...each,
      findings: each.findings.map((one) => ({ ...one })),
      entries: each.entries.map((one) => ({ ...one })),
    }));
    invocation.show({ files: shown }, () =>
      files.map((each) => textOf(each, invocation)).join("\n"),
    );
    const unreadable = files.filter(({ format }) => format === "").length;
    if (unreadable > 0) {
      throw new CommandError(`${unreadable} of the files could not be read`, {
        exit: "usage",
        code: "unreadable",
      });
    }
    const findings = files.reduce((sum, each) => sum + each.findings.length, 0);
    if (findings === 0) return;
    throw new CommandError(`the files have ${findings} findings`, {
      exit: "failed",
      code: "findings",
    });
  },
};

const account = z.string().trim().min(1).optional();

/** The settings of a rail that affect reading. */
const profileSchema = z.looseObject({
  format: z.enum(["iso20022", "nacha"]).optional(),
  currency: z.string().optional(),
  profile: z
    .looseObject({ account: z.looseObject({ iban: account, number: account }).optional() })
    .optional(),
  statement_account: account,
  status_settles: z.boolean().optional(),
  return_charges_max: z.string().optional(),
  not_executed_codes: z
    .array(
      z
        .string()
        .refine(
          mayProveNotExecuted,
          "must not be a code that leaves it open whether the payment was executed",
        ),
    )
    .optional(),
});

const sentSchema = z.array(
  z.looseObject({
    id: z.string().min(1),
    end_to_end_id: z.string().optional(),
    instruction_id: z.string().optional(),
    uetr: z.string().optional(),
    message_id: z.string().optional(),
    payment_information_id: z.string().optional(),
    bank_reference: z.string().optional(),
    trace: z.string().optional(),
    company_id: z.string().optional(),
    transaction_code: z.string().optional(),
    account: z.string().optional(),
    amount: z.string(),
    currency: z.string(),
    state: z.enum(["sent", "debited", "rejected", "returned"]),
  }),
);

async function readJson<Schema extends z.ZodType>(
  invocation: Invocation,
  option: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const path = invocation.text(option);
  if (path === undefined) return undefined;
  const text = await readText(invocation.world, path);
  const json = jsonOf(text);
  if (json === undefined) throw usageError(`${option}: ${path} is not JSON`);
  // BANK_RAILS is a list of rails. Accepts a list with a single rail.
  const value = option === "--profile" && Array.isArray(json) && json.length === 1 ? json[0] : json;
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problems = error.issues.map(
    ({ path: at, message }) => `${at.map(String).join(".")}: ${message}`,
  );
  throw usageError(`${option}: ${problems.join("; ")}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judgingProfile(given: z.output<typeof profileSchema>): JudgingProfile {
  // A rail with NACHA files accepts statements only for a configured account.
  if (given.format === "nacha") {
    return { ...anyAccount, accounts: [given.statement_account ?? ""], entriesSettle: false };
  }
  const { iban, number } = given.profile?.account ?? {};
  const name = iban?.replaceAll(" ", "").toUpperCase() ?? number;
  const max = readMoney(given.return_charges_max ?? "0", given.currency ?? "USD");
  if (max === undefined) {
    throw usageError("--profile: return_charges_max: is not a valid amount of its currency");
  }
  return {
    accounts: name === undefined ? [] : [name],
    returnChargesMax: max.minor,
    statusSettles: given.status_settles ?? false,
    notExecutedCodes: new Set((given.not_executed_codes ?? []).map(codeOf)),
    entriesSettle: true,
  };
}

function sentPayment(given: z.output<typeof sentSchema>[number], index: number): SentPayment {
  const amount = readMoney(given.amount, given.currency);
  if (amount === undefined) {
    throw usageError(`--sent: ${index}.amount: is not a valid amount of its currency`);
  }
  return {
    payoutId: given.id,
    endToEndId: given.end_to_end_id ?? "",
    ...(given.instruction_id !== undefined && { instructionId: given.instruction_id }),
    ...(given.uetr !== undefined && { uetr: given.uetr }),
    ...(given.bank_reference !== undefined && { bankReference: given.bank_reference }),
    ...(given.message_id !== undefined && { messageId: given.message_id }),
    ...(given.payment_information_id !== undefined && {
      paymentInformationId: given.payment_information_id,
    }),
    ...(given.trace !== undefined && { trace: given.trace }),
    ...(given.company_id !== undefined && { companyId: given.company_id }),
    ...(given.transaction_code !== undefined && { transactionCode: given.transaction_code }),
    ...(given.account !== undefined && { account: given.account.replaceAll(" ", "") }),
    amount,
    state: given.state,
    debits: [],
    returns: [],
    charges: [],
  };
}

async function check(
  path: string,
  profile: JudgingProfile,
  sent: SentPayments,
  isSentGiven: boolean,
): Promise<Checked> {
  const name = basename(path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw usageError(`there is no file ${name}`);
  const unreadable = (text: string): Checked => ({
    name,
    format: "",
    version: "",
    findings: [{ kind: "unreadable", text }],
    entries: [],
  });
  if (found.size > bytesMax) return unreadable(`is larger than ${bytesMax} bytes`);
  const file = readBankFile(await readFile(path));
  if (isRefused(file)) return unreadable(file.detail ?? "is not in a format that rails read");
  const summary = summaryOf(file, profile);
  const verdicts = judge(file, sent, profile);
  learnReferences(verdicts, sent);
  // If no sent payments are given, an unmatched entry is not a finding.
  const isFinding = ({ verdict }: FileVerdict) => isSentGiven || verdict !== "unmatched";
  const findings = [
    ...summaryFindings(summary),
    ...verdictFindings(verdicts.filter(isFinding), summary),
  ];
  return {
    name,
    format: [...new Set(file.documents.map(formatOf))].join(", "),
    version: [...new Set(summary.documents.map(({ version }) => version))]
      .filter(Boolean)
      .join(", "),
    findings: findings.map(({ kind, what, place }) => ({
      kind,
      text: place === undefined ? what : `${place}: ${what}`,
    })),
    entries: verdicts.map((each) => entryOf(each, sent)),
  };
}

/**
 * Stores the bank's first reference for each payment, as rails do. A later file may identify a
 * payment only by this reference.
 */
function learnReferences(verdicts: readonly FileVerdict[], sent: SentPayments): void {
  const learn = (payoutId: string, bankReference: string | undefined) => {
    if (bankReference === undefined || sent.get(payoutId).bankReference !== undefined) return;
    sent.learn(payoutId, { bankReference });
  };
  for (const each of verdicts) {
    if (each.verdict === "accepted" || each.verdict === "settled") {
      learn(each.payoutId, each.bankReference);
    } else if (each.verdict === "known" && each.booking?.of === "debit") {
      learn(each.payoutId, each.booking.as.reference);
    }
  }
}

const formats = {
  status: "pain.002",
  report: "camt.052",
  statement: "camt.053",
  notification: "camt.054",
  ach: "nacha",
} as const satisfies Record<BankDocument["kind"], string>;

const formatOf = ({ kind }: BankDocument) => formats[kind];

function entryOf({ verdict, source }: FileVerdict, sent: SentPayments): Entry {
  const { reference, code, amount } = source;
  return {
    reference: reference === "" || isOfPayment(reference, sent) ? reference : masked(reference),
    verdict,
    code: shownCode(code),
    amount: amount === undefined ? "" : moneyText(amount),
    currency: amount?.currency ?? "",
  };
}

function isOfPayment(reference: string, sent: SentPayments): boolean {
  const found = sent.find({
    endToEndId: reference,
    instructionId: reference,
    uetr: reference,
    bankReference: reference,
  });
  return found !== "unknown" || sent.ofTrace(reference).length > 0;
}

/** Masks a reference, because some banks send an account number or a name instead. */
function masked(reference: string): string {
  const account = reference.replaceAll(" ", "");
  return isIban(account) || /^\d{8,}$/.test(account) ? `****${account.slice(-4)}` : "****";
}

function textOf(
  { name, format, version, findings, entries }: Checked,
  invocation: Invocation,
): string {
  const head = `${name}: ${[format, version].filter(Boolean).join(", ") || "not readable"}\n`;
  const rows = entries.map((each) => ({ ...each }));
  const columns = ["reference", "verdict", "code", "amount", "currency"];
  const table = rows.length === 0 ? "" : invocation.table(rows, columns);
  return `${head}${table}${findings.map(({ kind, text }) => `${kind}: ${text}\n`).join("")}`;
}
