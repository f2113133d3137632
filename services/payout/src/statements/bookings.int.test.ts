import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { PayoutBooking } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
const dayMs = 86_400_000;
let platform: TestPlatform;
let accounts: readonly string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  accounts = [
    await platform.fundedAccount(merchantId, "100.00"),
    await platform.fundedAccount(merchantId, "100.00"),
  ];
  await platform.fundedAccount("mer_2", "100.00");
  for (const account of accounts) {
    for (const reference of ["order-1", "sandbox-return", "sandbox-fail", "order-2"]) {
      await platform.execute(account, reference);
    }
  }
  for (let second = 0; second < 8; second += 1) {
    await platform.work();
    platform.world.offsetMs += 1_000;
  }
});
afterAll(() => platform?.stop());

type Wish = { from?: Date; to?: Date; limit?: number; cursor?: string };

function ask({ from, to, ...page }: Wish = {}) {
  const period = {
    ...(from && { from: timestampFromDate(from) }),
    ...(to && { to: timestampFromDate(to) }),
  };
  return platform.statementsRpc.listPayoutBookings({ merchantId, ...period, ...page });
}

async function all(wish: Wish = {}): Promise<PayoutBooking[]> {
  const found: PayoutBooking[] = [];
  let cursor = "";
  do {
    const page = await ask({ ...wish, cursor });
    found.push(...page.bookings);
    cursor = page.nextCursor;
  } while (cursor !== "");
  return found;
}

const namesOf = (bookings: readonly PayoutBooking[]) =>
  bookings.map(({ entry, payout }) => [entry?.accountId, entry?.step, payout?.referenceId]);

it("has what was paid and what came back, account after account", async () => {
  const found = await all();
  const ofEach = accounts.flatMap((account) => [
    ...["order-1", "sandbox-return", "order-2"].map((each) => [account, LedgerStep.POST, each]),
    [account, LedgerStep.RETURN, "sandbox-return"],
  ]);
  expect(namesOf(found).toSorted()).toEqual(ofEach.toSorted());
  expect(found.map(({ entry }) => entry?.accountId)).toEqual(
    accounts.flatMap((account) => Array.from({ length: 4 }, () => account)),
  );
  expect(found.every(({ entry, payout }) => entry?.payoutId === payout?.id)).toBe(true);
  expect(found[0]?.payout).toMatchObject({ sourceAmount: "10.00", merchantId });
});

it("has the same bookings on pages of every length", async () => {
  const expected = namesOf(await all());
  for (const limit of [1, 2, 3, 4, 5, 8]) expect(namesOf(await all({ limit }))).toEqual(expected);
});

it("divides periods without a gap", async () => {
  const found = await all();
  const times = found.map(({ entry }) => timestampDate(entry?.createdAt ?? never()).getTime());
  const middle = new Date(times.toSorted()[3] ?? 0);
  const parts = [...(await all({ to: middle })), ...(await all({ from: middle }))];
  expect(parts.map(({ entry }) => entry?.id).toSorted()).toEqual(
    found.map(({ entry }) => entry?.id).toSorted(),
  );
});

it("refuses a longer period, and the cursor of another list", async () => {
  const to = new Date(Date.now() - dayMs);
  const messageOf = (wish: Wish) =>
    ask(wish).then(
      () => "",
      (error: unknown) => readRefusal(error)?.message,
    );
  const earliest = new Date(to.getTime() - 93 * dayMs);
  expect(await messageOf({ from: earliest, to })).toBe("");
  expect(await messageOf({ from: new Date(earliest.getTime() - 1), to })).toMatch(/93 days/);
  expect(await messageOf({ from: new Date(to.getTime() + 1), to })).toMatch(/after from/);
  for (const cursor of ["x", "acc_other.1.2"]) {
    expect(await messageOf({ cursor })).toMatch(/^cursor/);
  }
});

function never(): never {
  throw new Error("an entry has no time");
}
