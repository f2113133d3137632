import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards, Requester } from "@disburse/chassis/approvals/guard.ts";
import { cutPage, readLimit, readNumber, writeNumber } from "@disburse/chassis/paging/page.ts";
import { readMutation, readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type {
  FundRailAccountRequest,
  ListRailEntriesRequest,
  SweepRailAccountRequest,
} from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  findRailAccount,
  type Ledger,
  listRailAccounts,
  platformMerchantId,
} from "@disburse/ledger/accounts.ts";
import type { RailMovement } from "@disburse/ledger/rules/account.ts";
import { listEntries } from "@disburse/ledger/statement.ts";
import { type MoneyApprovals, ownWorkReasons } from "../accounts/approvals.ts";
import { readNote } from "../accounts/rpc.ts";
import type { Payouts } from "../payouts/document.ts";
import { moveRail, type RailAccountName, railAccountId } from "./accounts.ts";
import type { TreasuryRails } from "./rails.ts";
import { readRailDay } from "./report.ts";
import { readDay } from "./rules/day.ts";
import { readWaiting, wakeWaiting } from "./waiting.ts";
import { railAccountMessage, railEntryMessage, railReportMessage } from "./wire.ts";

/** The name of the list in its cursors. */
const entryList = "rail_entries";

export type TreasuryDeps = {
  readonly ledger: Ledger;
  readonly payouts: Payouts;
  readonly rails: TreasuryRails;
  readonly clock: Clock;
  /** Wakes the worker, because a payout is due. */
  readonly wake: () => void;
};

export function treasuryRpc(deps: TreasuryDeps) {
  return {
    fundRailAccount: (request) => fund(deps, request),

    sweepRailAccount: (request) => sweep(deps, request),

    listRailAccounts: async ({ rail }) => ({ accounts: await listAccounts(deps, rail) }),

    listRailEntries: (request) => listLines(deps, request),

    getRailReport: async (request) => {
      const name = await known(deps, request);
      const day = readDay(request.day);
      if (day === undefined || day.from > deps.clock.now()) {
        return orThrow(
          refused("INVALID_REQUEST", "day: must be a date (yyyy-mm-dd) that is not in the future"),
        );
      }
      const rail = deps.rails.named(name.rail);
      const read = await readRailDay(deps.ledger, name, day, rail);
      return { report: railReportMessage(name, day.text, read) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

type Named = Pick<FundRailAccountRequest, "rail" | "currencyCode">;

/**
 * Returns the rail account that a request names. The account must exist, or the configured rail
 * must pay from accounts in this currency.
 */
async function known(
  { ledger, rails }: TreasuryDeps,
  { rail, currencyCode: currency }: Named,
): Promise<RailAccountName> {
  if (findCurrency(currency) === undefined) {
    orThrow(refused("INVALID_REQUEST", "currency_code: must be a known currency"));
  }
  const name = { rail, currency };
  const configured = rails.named(rail);
  if (configured?.isFunded && configured.capabilities.currencies.includes(currency)) return name;
  // An account may exist without such a rail: the rail may have been removed, or the bank took
  // charges in another currency.
  if ((await findRailAccount(ledger, railAccountId(name))) !== undefined) return name;
  if (configured?.isFunded) {
    orThrow(
      refused("INVALID_REQUEST", `currency_code: the rail ${rail} does not support ${currency}`),
    );
  }
  return orThrow(refused("RECORD_NOT_FOUND", "rail: has no rail account in this currency"));
}

/** Books received money and wakes payouts that wait for it. */
async function fund(deps: TreasuryDeps, request: FundRailAccountRequest) {
  const booked = await book(deps, request, "fund");
  // Payouts are woken after the booking, so that they find the money.
  await wakeWaiting(deps.payouts, booked.name, deps.clock.now());
  deps.wake();
  return { entry: booked.entry };
}

async function sweep(deps: TreasuryDeps, request: SweepRailAccountRequest) {
  const { entry } = await book(deps, request, request.charge ? "rail_charge" : "sweep");
  return { entry };
}

type Booking = Named & Pick<FundRailAccountRequest, "mutation" | "amount" | "note">;

/** Reads a movement of a rail account. Throws a refusal if it can't be booked. */
async function readBooking(deps: TreasuryDeps, request: Booking) {
  const name = await known(deps, request);
  const amount = parseAmount(request.amount, name.currency);
  if (isRefused(amount)) return orThrow(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  const note = readNote(request.note);
  if (note === "") orThrow(refused("INVALID_REQUEST", "note: is required"));
  return { name, amount, note };
}

/** Books an operator's movement once per operation. A repeat returns the first entry. */
async function book(deps: TreasuryDeps, request: Booking, step: "fund" | "sweep" | "rail_charge") {
  readOperator(request.mutation);
  const { operationId, actor } = readMutation(request.mutation);
  const { name, amount, note } = await readBooking(deps, request);
  const movement: RailMovement =
    step === "rail_charge" ? { step, amount, of: { operationId } } : { step, amount, operationId };
  const applied = await moveRail(deps.ledger, name, { ...movement, note }, actor);
  switch (applied.outcome) {
    case "applied":
      return { name, entry: railEntryMessage(name.rail, applied.entry) };
    case "insufficient":
      return orThrow(refused("INSUFFICIENT_BALANCE"));
    case "full":
      return orThrow(refused("INVALID_REQUEST", "amount: the balance would be too large"));
    default:
      throw new Error(`the movement was not applied: ${applied.outcome}`);
  }
}

/** Lists all existing accounts, and those of configured rails that have no movement yet. */
async function listAccounts({ ledger, payouts, rails }: TreasuryDeps, rail: string) {
  const [stored, waiting] = await Promise.all([
    listRailAccounts(ledger, rail === "" ? undefined : rail),
    readWaiting(payouts),
  ]);
  const unused = rails.all
    .filter((each) => each.isFunded && (rail === "" || each.name === rail))
    .flatMap(({ name, capabilities }) =>
      capabilities.currencies.map((currency) => ({ rail: name, currency })),
    )
    .filter((name) => !stored.some(isSame(name)))
    .map((name) => ({ ...name, available: 0n, held: 0n }));
  if (rail !== "" && stored.length + unused.length === 0) orThrow(refused("RECORD_NOT_FOUND"));
  return [...stored, ...unused]
    .toSorted((a, b) => (railAccountId(a) < railAccountId(b) ? -1 : 1))
    .map((each) => railAccountMessage(each, waiting.find(isSame(each))));
}

const isSame =
  ({ rail, currency }: RailAccountName) =>
  (other: RailAccountName): boolean =>
    other.rail === rail && other.currency === currency;

async function listLines(deps: TreasuryDeps, request: ListRailEntriesRequest) {
  const name = await known(deps, request);
  const limit = orThrow(readLimit(request.limit));
  const beforeSequence = orThrow(readNumber(entryList, request.cursor));
  const { createdFrom, createdTo } = request;
  const filter = {
    ...(createdFrom && { from: timestampDate(createdFrom) }),
    ...(createdTo && { to: timestampDate(createdTo) }),
  };
  const own = { merchantId: platformMerchantId, accountId: railAccountId(name) };
  const page = { beforeSequence, limit: limit + 1 };
  const found = await listEntries(deps.ledger, own, filter, page);
  // A rail account without a movement doesn't exist yet.
  const { entries, ...total } = found ?? { entries: [], totalCount: 0n };
  const { shown, nextCursor } = cutPage(entries, limit, ({ sequence }) =>
    writeNumber(entryList, sequence),
  );
  return { entries: shown.map((each) => railEntryMessage(name.rail, each)), nextCursor, ...total };
}

type TreasuryRpc = ReturnType<typeof treasuryRpc>;

export function guardedTreasury(deps: TreasuryDeps, approvals?: MoneyApprovals) {
  const rpc = treasuryRpc(deps);
  if (approvals === undefined) return rpc;
  return approvals.guard(PayoutOperatorService, rpc, treasuryGuards(deps, approvals));
}

/**
 * Requires a second operator for funding and sweeps above one operator's daily limit. Credits count
 * towards the same limit. A currency without a limit always needs a second operator.
 */
function treasuryGuards(
  deps: TreasuryDeps,
  approvals: MoneyApprovals,
): Guards<Pick<TreasuryRpc, "fundRailAccount" | "sweepRailAccount">> {
  const { sums } = approvals;
  const reasonsOf = ownWorkReasons({ ...approvals, clock: deps.clock });
  const guard = (what: "fund" | "sweep") => ({
    approvers: ["treasury_approver"] as const,
    difference: async (request: Booking) => {
      const { rail, currencyCode, amount, note } = request;
      const charge = "charge" in request && request.charge === true;
      return {
        // Balances change constantly, so an approval covers only the booking and not the balance.
        before: "",
        after: JSON.stringify({ [what]: { rail, currencyCode, amount, note, charge } }),
      };
    },
    reasons: async (request: Booking, requester: Requester) =>
      reasonsOf(workOf(what, request, requester)),
    check: async (request: Booking) => void (await readBooking(deps, request)),
    refused: async (request: Booking, requester: Requester) => {
      const work = workOf(what, request, requester);
      if (work !== undefined) await sums.remove(work);
    },
  });
  return { fundRailAccount: guard("fund"), sweepRailAccount: guard("sweep") };
}

function workOf(what: string, request: Booking, { person, operationId }: Requester) {
  const { currencyCode: currency } = request;
  if (findCurrency(currency) === undefined) return undefined;
  const amount = parseAmount(request.amount, currency);
  if (isRefused(amount)) return undefined;
  return { person, currency, amount, operation: `${what} ${request.rail} ${operationId}` };
}
