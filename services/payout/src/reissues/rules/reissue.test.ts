import { describe, expect, it } from "vitest";
import { everyStage, type Progress } from "../../payouts/rules/progress.ts";
import { isWorkedOn, nextOfReissue, operationOfAttempt, reissueDetails } from "./reissue.ts";

const id = "po_01hqz0000000000000000000ab";
const requester = { operationId: "op-1", content: "c1" };
const boundAt = new Date(0);
const boundBy = (by: typeof requester, attempt = 1) => ({
  ...{ quoteId: "qt_1", attempt, boundAt },
  operationId: operationOfAttempt(id, attempt, by),
});
const returned: Parameters<typeof nextOfReissue>[0] = {
  ...{ id, progress: { stage: "returned", reference: "R" }, exception: undefined },
  ...{ reissue: undefined, reissuedAs: undefined },
};

describe("a request to pay again", () => {
  it("gets a quote, executes its own, or ends another one's", () => {
    expect(nextOfReissue(returned, requester)).toBe("quote");
    expect(nextOfReissue({ ...returned, reissue: boundBy(requester, 3) }, requester)).toBe(
      "execute",
    );
    for (const other of [
      { ...requester, operationId: "op-2" },
      { ...requester, content: "c2" },
    ]) {
      expect(nextOfReissue({ ...returned, reissue: boundBy(other) }, requester)).toBe("end");
    }
  });

  it("finds its own payout, and is refused another one's", () => {
    const made = { ...returned, reissuedAs: "po_2" };
    expect(nextOfReissue({ ...made, reissue: boundBy(requester) }, requester)).toBe("execute");
    const reissue = boundBy({ ...requester, operationId: "op-2" });
    expect(nextOfReissue({ ...made, reissue }, requester)).toMatchObject({
      ...{ refused: "ALREADY_PROCESSED", payoutId: "po_2" },
    });
  });

  it("is only for returned or rejected payouts", () => {
    const allowed = everyStage.filter((stage) => {
      const progress = { stage } as Progress;
      return nextOfReissue({ ...returned, progress }, requester) === "quote";
    });
    expect(allowed.toSorted()).toEqual(["rejected", "returned"]);
    const progress = { stage: "submitting" } as Progress;
    expect(nextOfReissue({ ...returned, progress }, requester)).toEqual({
      refused: "STATE_NOT_REACHABLE",
      detail: "The payout is processing. It must be returned or rejected.",
    });
  });

  it("waits for an operator if a rail contradicts itself, even with its own quote", () => {
    const exception = { kind: "contradicted", since: boundAt } as never;
    for (const reissue of [undefined, boundBy(requester)]) {
      const next = nextOfReissue({ ...returned, exception, reissue }, requester);
      expect(next).toMatchObject({ refused: "STATE_NOT_REACHABLE" });
    }
  });
});

it("a quote that was bound is worked on for 5 s", () => {
  const bound = boundBy(requester);
  expect(isWorkedOn(bound, new Date(4_999))).toBe(true);
  expect(isWorkedOn(bound, new Date(5_000))).toBe(false);
});

it("an attempt's operation fits an operation id, and is its request's own", () => {
  const operation = operationOfAttempt(id, 12, requester);
  expect(operation).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(operationOfAttempt(id, 1, requester)).not.toBe(operationOfAttempt(id, 2, requester));
});

it("sent details replace the old ones as a whole", () => {
  const before = {
    ...{ referenceId: "rent", remittanceInformation: "May", purposeCode: "SUPP" },
    metadata: { order: "1", team: "a" },
  };
  expect(reissueDetails(before, { referenceId: "", metadata: {} })).toEqual(before);
  const sent = { referenceId: "rent-2", metadata: { order: "2" } };
  expect(reissueDetails(before, sent)).toEqual({ ...before, ...sent });
});
