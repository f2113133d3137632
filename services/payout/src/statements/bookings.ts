import { timestampDate } from "@bufbuild/protobuf/wkt";
import { oldestFirst, readLimit } from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { ListPayoutBookingsRequest } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { toAccount } from "@disburse/ledger/documents.ts";
import type { Account, LedgerEntry } from "@disburse/ledger/rules/account.ts";
import { type EntrySpan, entriesOfSpan, readSpan } from "@disburse/ledger/statement.ts";
import { entryMessage } from "../accounts/rpc.ts";
import { type Payouts, stateFields, toPayout } from "../payouts/document.ts";
import { payoutMessage } from "../payouts/wire.ts";
import type { StatementStores } from "./period.ts";

/** The longest quarter in any time zone. The download of one file takes minutes. */
const periodMaxMs = 93 * 86_400_000;

/** An account's entries that are still to be read. */
type Rest = { readonly accountId: string; readonly span: EntrySpan };

/** Returns a page of the bookings of a merchant's payouts. */
export async function listBookings(
  stores: StatementStores,
  request: ListPayoutBookingsRequest,
  now: Date,
) {
  const { merchantId, cursor } = request;
  const period = orThrow(periodOf(request, now));
  const limit = orThrow(readLimit(request.limit));
  const start = cursor === "" ? undefined : orThrow(readRest(cursor));
  const all = await accountsOf(stores, merchantId);
  const first = start === undefined ? 0 : all.findIndex(({ id }) => id === start.accountId);
  if (first === -1) orThrow(otherCursor);
  const found: { account: Account; entry: LedgerEntry }[] = [];
  let rest: Rest | undefined;
  for (const account of all.slice(first)) {
    const { id: accountId } = account;
    const isStarted = start?.accountId === accountId;
    const span = isStarted ? start.span : await spanOf(stores, { merchantId, accountId }, period);
    const entries = await entriesOfSpan(stores.ledger, accountId, span, {
      steps: ["post", "return"],
      limit: limit - found.length,
    });
    found.push(...entries.map((entry) => ({ account, entry })));
    if (found.length < limit) continue;
    const last = entries.at(-1)?.sequence ?? span.first - 1;
    rest = { accountId, span: { first: last + 1, end: span.end } };
    break;
  }
  const payouts = await payoutsOf(stores.payouts, found);
  const bookings = found.map(({ account: { name: accountName }, entry }) => ({
    entry: entryMessage(entry),
    accountName,
    payout: payouts.get(entry.payoutId),
  }));
  return { bookings, nextCursor: rest === undefined ? "" : writeRest(rest) };
}

function periodOf(request: ListPayoutBookingsRequest, now: Date) {
  const wantedTo = request.to === undefined ? now : timestampDate(request.to);
  const to = wantedTo > now ? now : wantedTo;
  const earliest = new Date(to.getTime() - periodMaxMs);
  const from = request.from === undefined ? earliest : timestampDate(request.from);
  if (to < from) return refused("INVALID_REQUEST", "to: must be after from");
  if (from < earliest) return refused("INVALID_REQUEST", "from: must be at most 93 days before to");
  return { from, to };
}

async function accountsOf({ ledger }: StatementStores, merchant_id: string): Promise<Account[]> {
  const found = await ledger.accounts.find({ merchant_id }).sort(oldestFirst).toArray();
  return found.map(toAccount);
}

async function spanOf(
  { ledger }: StatementStores,
  own: Parameters<typeof readSpan>[1],
  period: Parameters<typeof readSpan>[2],
): Promise<EntrySpan> {
  const found = await readSpan(ledger, own, period);
  if (found === undefined) throw new Error("an account was removed");
  return found.span;
}

async function payoutsOf(payouts: Payouts, booked: readonly { readonly entry: LedgerEntry }[]) {
  const ids = [...new Set(booked.map(({ entry }) => entry.payoutId))];
  const found = await payouts.find({ _id: { $in: ids } }, { projection: stateFields }).toArray();
  return new Map(found.map((each) => [each._id, payoutMessage(toPayout(each))]));
}

const otherCursor = refused("INVALID_REQUEST", "cursor: must be one that this list returned");

const writeRest = ({ accountId, span: { first, end } }: Rest) => `${accountId}.${first}.${end}`;

function readRest(cursor: string): Rest | Refused<"INVALID_REQUEST"> {
  const [, accountId, first, end] = /^(\w{1,64})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (accountId === undefined) return otherCursor;
  return { accountId, span: { first: Number(first), end: Number(end) } };
}
