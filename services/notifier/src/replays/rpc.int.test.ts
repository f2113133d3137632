import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  notFound,
  operation,
  payoutMessage,
  refusal,
  register,
  startTestNotifier,
  type TestNotifier,
  used,
} from "../test-notifier.ts";

let notifier: TestNotifier;
let merchantId: string;
let endpointId: string;

beforeAll(async () => {
  notifier = await startTestNotifier();
  ({ merchantId, endpointId } = await register(notifier));
  await notifier.consume([payoutMessage({ merchantId })]);
  const ended = { state: "exhausted", due_at: null } as const;
  await notifier.deliveries.collection.updateMany({}, { $set: ended });
  notifier.advance(1_000);
});
afterAll(() => notifier.drop());

/** These tests' clock is a second past this. */
const since = "2026-11-20";
const ask = (change: object = {}) =>
  notifier.rpc.createReplay({
    ...{ mutation: operation(), merchantId, endpointId, since },
    ...change,
  });

describe("a requested replay", () => {
  it.each([
    [{ endpointId: "", since: "" }, "endpoint_id: is required; since: is required"],
    [{ since: "yesterday" }, "since: must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z"],
    [{ until: "2026-11-20 11:26" }, "until: must be an ISO 8601 time"],
    [{ since: "2026-11-20T00:00:01Z" }, "since: must be in the past"],
    [{ until: "2026-11-20" }, "until: must be after since"],
    [{ until: "2026-11-19" }, "until: must be after since"],
    [{ since: "2026-10-20" }, "since: must be at most 30 days before until"],
    [{ states: ["cancelled"] }, "states: must be an array of one or more of exhausted, delivered"],
    [{ states: ["exhausted", "cancelled"] }, "states: must be an array of one or more of"],
    [{ eventTypes: ["payout"] }, "event_types: must be an array of 1 to 50 different event types"],
    [{ eventTypes: ["refund", "refund"] }, "event_types: must be an array of 1 to 50 different"],
    [{ ratePerSecond: -1 }, "rate: must be a whole number from 1 to 100"],
    [{ ratePerSecond: 101 }, "rate: must be a whole number from 1 to 100"],
    [{ unreadable: [{ field: "rate", problem: "must be odd" }] }, "rate: must be odd"],
  ])("is refused with %j", async (change, problem) => {
    const message = await refusal(ask(change));
    expect(message.startsWith(`INVALID_REQUEST ${problem}`), message).toBe(true);
  });

  it("needs an existing endpoint of its merchant", async () => {
    const otherMerchant = newId("merchant");
    expect(await refusal(ask({ merchantId: otherMerchant }))).toBe(notFound);
    expect(await refusal(ask({ endpointId: newId("endpoint") }))).toBe(notFound);
    const gone = await register(notifier);
    await notifier.rpc.deleteEndpoint({ mutation: operation(), ...gone });
    expect(await refusal(ask(gone))).toBe(notFound);
  });

  it("is one per operation, and one at a time for an endpoint", async () => {
    const mutation = operation();
    const responses = await Promise.all([1, 2, 3].map(() => ask({ mutation })));
    for (const each of responses) expect(each).toEqual(responses[0]);
    expect(await refusal(ask())).toBe(
      "STATE_NOT_REACHABLE A replay of this endpoint is running. It must be finished or cancelled first.",
    );
    expect(await refusal(ask({ mutation, ratePerSecond: 11 }))).toBe(used);
    expect(await refusal(ask({ mutation, eventTypes: ["*"] }))).toBe(used);
    await notifier.replayer.round();
    notifier.advance(5_000);
    const again = (await ask({ mutation })).replay;
    expect(again).toMatchObject({ id: responses[0]?.replay?.id, queuedCount: 1n });
    const next = (await ask()).replay;
    expect(next?.id).not.toBe(again?.id);
    await notifier.replayer.round();
  });

  it("is separate from another merchant's replay under the same operation", async () => {
    const [one, other] = [await register(notifier), await register(notifier)];
    const mutation = operation();
    const first = (await ask({ ...one, mutation })).replay;
    const second = (await ask({ ...other, mutation })).replay;
    expect(second).toMatchObject({ merchantId: other.merchantId, endpointId: other.endpointId });
    expect(second?.id).not.toBe(first?.id);
  });

  it("is its merchant's alone, and in its list, newest first", async () => {
    const own = await register(notifier);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await ask(own)).replay?.id ?? "");
      notifier.advance(1);
    }
    const { rpc } = notifier;
    const first = await rpc.listReplays({ ...own, limit: 2 });
    const rest = await rpc.listReplays({ ...own, limit: 2, cursor: first.nextCursor });
    expect([...first.replays, ...rest.replays].map(({ id }) => id)).toEqual(ids);
    for (const page of [first, rest]) {
      expect(page).toMatchObject({ totalCount: 3n, totalCountCapped: false });
    }
    expect(rest.nextCursor).toBe("");
    for (const wrong of [{ limit: 101 }, { cursor: "x" }]) {
      expect(await refusal(rpc.listReplays({ ...own, ...wrong }))).toMatch("INVALID_REQUEST");
    }
    const foreign = {
      mutation: operation(),
      merchantId: newId("merchant"),
      replayId: ids[0] ?? "",
    };
    expect((await rpc.listReplays(foreign)).replays).toEqual([]);
    expect(await refusal(rpc.getReplay(foreign))).toBe(notFound);
    expect(await refusal(rpc.cancelReplay(foreign))).toBe(notFound);
  });
});
