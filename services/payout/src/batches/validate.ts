import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { type PublicRefusal, violationMessage } from "@disburse/chassis/rpc/refusal.ts";
import {
  type CreateBatchRequest,
  CreateBatchRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import type {
  BatchProblemSchema,
  PayoutOrderService,
  ValidateBatchResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { errorTable, refusalReasons } from "@disburse/kernel/errors.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type Refused, refused, type Violation } from "@disburse/kernel/refusal.ts";
import { readAccount } from "@disburse/ledger/accounts.ts";
import { type Priced, readPrices } from "../execution/prices.ts";
import { openRehearsal, type RehearsalDeps } from "../execution/rehearsal.ts";
import {
  failureText,
  isAboveMaximum,
  type OrderFailure,
  type OrderTerms,
} from "../orders/rules/order.ts";
import type { CheckedLine, LineDeps } from "./lines.ts";
import { type FixedTotal, totalsOf } from "./rules/batch.ts";
import { lineViolations, namedViolations, type ViolatedLine } from "./rules/violations.ts";
import { totalMessage } from "./wire.ts";

export type ValidateDeps = LineDeps & RehearsalDeps;

/** The lines and problems of a batch after the checks of CreateBatch. */
export type CheckedBatch = {
  readonly lines: readonly CheckedLine[];
  readonly ofBody: readonly Violation[];
};

/** A line with the refusals of its quote and its execution. */
type JudgedLine = {
  readonly refusals: readonly Refused<PublicRefusal | OrderFailure>[];
  readonly needsApproval: boolean;
};

/**
 * Serves the validation of batches. `check` applies the checks of CreateBatch. Prices are read a
 * thousand at a time, and all other data once.
 */
export function validateRpc(
  deps: ValidateDeps,
  check: (batch: CreateBatchRequest, operationId: string) => Promise<CheckedBatch>,
) {
  return {
    validateBatch: async ({ batch = create(CreateBatchRequestSchema) }) => {
      const { actor, operationId } = readMutation(batch.mutation);
      const checked = await check(batch, operationId);
      const who = { merchantId: batch.merchantId, actorRoot: rootOfActor(actor) };
      return validated(deps, who, checked, batch.rows);
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

type Who = Parameters<typeof openRehearsal>[1];

async function validated(
  deps: ValidateDeps,
  who: Who,
  { lines, ofBody }: CheckedBatch,
  rows: readonly number[],
): Promise<MessageInitShape<typeof ValidateBatchResponseSchema>> {
  // A line with a wrong field has no terms, so that it can't be priced.
  const termsOf = lines.flatMap(({ terms }, at) => (terms === undefined ? [] : [{ terms, at }]));
  const asked = termsOf.map(({ terms }) => pricedTerms(terms));
  const { priced, now } = await readPrices(deps, who.merchantId, asked);
  const judge = await openRehearsal(
    deps,
    who,
    priced.flatMap(({ payout }) => payout ?? []),
    now,
  );
  const judged = new Map<number, JudgedLine>();
  for (const [index, each] of priced.entries()) {
    const { terms, at } = termsOf[index] ?? {};
    if (terms !== undefined && at !== undefined)
      judged.set(at, await judgedLine(judge, terms, each));
  }
  const all = [...ofBody.map(invalid), ...problemsOf(lines, judged, rows)];
  const problems = shownProblems(all);
  const isPayable = ({ problems: found }: CheckedLine, at: number) =>
    found.length === 0 && judged.get(at)?.refusals.length === 0;
  return {
    lineCount: lines.length,
    payableCount: lines.filter(isPayable).length,
    problems: problems.map(problemMessage),
    problemCount: all.length,
    approvalByAnother: deps.controls.of(who.merchantId)?.approval?.isOfBatches === true,
    approvalCount: [...judged.values()].filter(({ needsApproval }) => needsApproval).length,
    ...(await totals(
      deps,
      who.merchantId,
      termsOf.map(({ terms }) => terms),
      priced,
    )),
  };
}

function pricedTerms({ details, fixed, amount, ...terms }: OrderTerms) {
  const { source, destination, accountId, beneficiaryId, allowDuplicate } = terms;
  const text = formatAmount(amount, fixed === "source" ? source : destination);
  return {
    accountId,
    beneficiaryId,
    source,
    destination,
    sourceAmount: fixed === "source" ? text : "",
    receivingAmount: fixed === "receiving" ? text : "",
    referenceId: details.referenceId,
    allowDuplicate,
  };
}

async function judgedLine(
  judge: Awaited<ReturnType<typeof openRehearsal>>,
  terms: OrderTerms,
  { payout, refusals }: Priced,
): Promise<JudgedLine> {
  if (payout === undefined) return { refusals, needsApproval: false };
  const isAbove = isAboveMaximum({ source: payout.sourceMinor }, terms);
  const own = isAbove ? [...refusals, refused("COST_ABOVE_MAXIMUM")] : refusals;
  const { refusals: more, approval } = await judge(payout, own.length > 0);
  return { refusals: [...own, ...more], needsApproval: approval !== undefined };
}

type Problem = {
  readonly code: string;
  readonly violation: Violation;
  readonly reason: string;
  readonly payoutId: string;
};

function invalid(violation: Violation): Problem {
  return { code: "INVALID_REQUEST", violation, reason: "", payoutId: "" };
}

/** Reports each mistake once with its lines, and each refusal of the same value. */
function problemsOf(
  lines: readonly CheckedLine[],
  judged: ReadonlyMap<number, JudgedLine>,
  rows: readonly number[],
): Problem[] {
  const refusedLines = lines.map((line, at): ViolatedLine => {
    const { refusals = [] } = judged.get(at) ?? {};
    const problems = refusals.map((each) => ({ field: fieldOf(each), problem: textOf(each) }));
    return { ...line, problems };
  });
  const ofRefusals = lineViolations(refusedLines, rows).flatMap((violation): Problem[] => {
    const [number = 0] = violation.lines?.numbers ?? [];
    const first = judged
      .get(number - 1)
      ?.refusals.find((each) => textOf(each) === violation.problem);
    if (first === undefined) return [];
    const { refused: code, reason = "", payoutId = "" } = first;
    return [{ code, violation, reason, payoutId }];
  });
  return [...lineViolations(lines, rows).map(invalid), ...ofRefusals];
}

function textOf({ refused: code, detail, reason, violations }: Refused<string>): string {
  if (reason !== undefined) return refusalReasons[reason];
  const [first] = violations ?? [];
  if (first !== undefined) return first.problem;
  if (detail !== undefined) return detail.replace(/^[a-z_]+: /, "");
  return Object.hasOwn(errorTable, code)
    ? errorTable[code as keyof typeof errorTable].message
    : failureText(code as OrderFailure);
}

/** The field to correct for a code; "" for the line as a whole. */
const fields: Readonly<Record<string, string>> = {
  BENEFICIARY_NOT_READY: "beneficiary_id",
  ACCESS_FORBIDDEN: "beneficiary_id",
  CORRIDOR_NOT_ACTIVE: "destination_currency_code",
  COST_ABOVE_MAXIMUM: "max_source_amount",
  POSSIBLE_DUPLICATE: "reference_id",
};

function fieldOf({ refused: code, detail = "", violations }: Refused<string>): string {
  const [, named] = /^([a-z_]+): /.exec(detail) ?? [];
  return violations?.[0]?.field ?? named ?? fields[code] ?? "";
}

/** Keeps at most a hundred problems, with at least one of each kind. */
function shownProblems(all: readonly Problem[]): Problem[] {
  const shown = new Set(namedViolations(all.map(({ violation }) => violation)));
  return all.filter(({ violation }) => shown.has(violation));
}

function problemMessage({
  violation,
  ...problem
}: Problem): MessageInitShape<typeof BatchProblemSchema> {
  return { ...problem, violation: violationMessage(violation) };
}

async function totals(
  deps: ValidateDeps,
  merchantId: string,
  terms: readonly OrderTerms[],
  priced: readonly Priced[],
) {
  const [first] = terms;
  if (first === undefined) return {};
  const { accountId, source } = first;
  const payouts = priced.flatMap(({ payout }) => payout ?? []);
  const total = payouts.reduce((sum, { sourceMinor }) => sum + sourceMinor, 0n);
  const fees = payouts.reduce((sum, { feesMinor }) => sum + feesMinor, 0n);
  const receiving = payouts.map(({ destination, receivingMinor }) => {
    return { ...first, fixed: "receiving" as const, destination, amount: receivingMinor };
  });
  const account = await readAccount(deps.ledger, merchantId, accountId);
  const available = account?.available ?? 0n;
  return {
    sourceCurrencyCode: source,
    totalAmount: formatAmount(total, source),
    totalFees: formatAmount(fees, source),
    receivingTotals: totalsOf(receiving).receiving.map((each: FixedTotal) => totalMessage(each)),
    availableAmount: formatAmount(available, source),
    balanceSufficient: available >= total,
  };
}
