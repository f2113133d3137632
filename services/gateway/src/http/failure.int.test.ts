import { Code, ConnectError } from "@connectrpc/connect";
import { publicRefusals, refusalError, type WireRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { errorTable } from "@disburse/kernel/errors.ts";
import { describe, expect, it } from "vitest";
import { useCalls } from "../test-calls.ts";

const calls = useCalls();

describe("a service's error", () => {
  const path = "/api/v1/transfer/payouts/po_1";
  const throwing = (error: unknown) => {
    calls.fakes().payout.getPayout = () => {
      throw error;
    };
    return calls.ask({ path });
  };

  const refusals: WireRefusal[] = Object.values(publicRefusals);
  it.each(refusals.map((row) => [row.code, row] as const))("%s", async (code, row) => {
    const reply = await throwing(refusalError({ [code]: row }, { refused: code }));
    const { status } = errorTable[code as keyof typeof errorTable];
    expect([reply.status, reply.json]).toEqual([status, { code, message: row.message }]);
  });

  it("a refusal's message is passed on", async () => {
    const row = { INVALID_REQUEST: publicRefusals.INVALID_REQUEST };
    const detail = "beneficiary_name: is required";
    const reply = await throwing(refusalError(row, { refused: "INVALID_REQUEST", detail }));
    expect(reply.json).toMatchObject({ code: "INVALID_REQUEST", message: detail });
  });

  it.each([Code.Unavailable, Code.DeadlineExceeded])("code %i: 503, come again", async (code) => {
    const reply = await throwing(new ConnectError("10.0.0.7:9102 is away", code));
    expect([reply.status, reply.headers["retry-after"]]).toEqual([503, "1"]);
    expect(reply.json).toEqual({
      code: "SERVICE_UNAVAILABLE",
      message: errorTable.SERVICE_UNAVAILABLE.message,
    });
  });

  const unknown = { desc: RefusalSchema, value: { code: "NO_SUCH_CODE", message: "x" } };
  it.each([
    ["an internal error", new ConnectError("secret", Code.Internal)],
    ["a service token of ours that is wrong", new ConnectError("secret", Code.Unauthenticated)],
    ["an argument of ours that is wrong", new ConnectError("secret", Code.InvalidArgument)],
    [
      "a refusal that nobody knows",
      new ConnectError("secret", Code.NotFound, undefined, [unknown]),
    ],
    ["a bug", new TypeError("secret")],
  ])("%s: 500, logged with its cause and not sent", async (_what, error) => {
    const before = calls.logLines().length;
    const reply = await throwing(error);
    expect([reply.status, reply.json]).toEqual([
      500,
      { code: "INTERNAL_ERROR", message: errorTable.INTERNAL_ERROR.message },
    ]);
    const errors = calls
      .logLines()
      .slice(before)
      .filter(({ level }) => level === "error");
    expect(errors).toHaveLength(1);
    const requestId = reply.headers["x-request-id"];
    expect(errors[0]?.fields).toMatchObject({ request_id: requestId, err: expect.anything() });
  });
});
