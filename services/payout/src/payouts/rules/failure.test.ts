import { expect, it } from "vitest";
import { visibleFailure } from "./failure.ts";
import type { Progress } from "./progress.ts";

const failure = { code: "ACCOUNT_CLOSED", railCode: "AC04" } as const;
const failureMessage = "The beneficiary's account is closed.";

it.each<[Progress, object]>([
  [
    { stage: "rejected", failure },
    { failureCode: "ACCOUNT_CLOSED", failureMessage, railCode: "AC04", returnedReference: "" },
  ],
  [
    { stage: "returned", reference: "R-1", failure: { code: "ACCOUNT_CLOSED" } },
    { failureCode: "ACCOUNT_CLOSED", failureMessage, railCode: "", returnedReference: "R-1" },
  ],
  [{ stage: "cancelled" }, { failureCode: "CANCELLED" }],
  [{ stage: "cancelled", because: "approval_rejected" }, { failureCode: "APPROVAL_REJECTED" }],
  [{ stage: "cancelled", because: "approval_expired" }, { failureCode: "APPROVAL_EXPIRED" }],
  // The rail gave no reason.
  [
    { stage: "returned", reference: "R-1" },
    { failureCode: "UNSPECIFIED", returnedReference: "R-1" },
  ],
  [{ stage: "rejected" }, { failureCode: "UNSPECIFIED", railCode: "" }],
  // Not a code: it might be a name or an account number.
  [{ stage: "rejected", failure: { ...failure, railCode: "Ada Lovelace" } }, { railCode: "" }],
  [{ stage: "rejected", failure: { ...failure, railCode: "X".repeat(33) } }, { railCode: "" }],
  [
    { stage: "settled", reference: "R-1" },
    { failureCode: "", returnedReference: "" },
  ],
  [
    { stage: "returning", reference: "R-1", failure },
    { failureCode: "", railCode: "", returnedReference: "" },
  ],
  [{ stage: "concluding", outcome: { kind: "rejected", failure } }, { failureCode: "" }],
  [
    { stage: "cancelled" },
    {
      ...{ failureCode: "CANCELLED", railCode: "", returnedReference: "" },
      failureMessage: "The payout was cancelled before it was paid.",
    },
  ],
  [{ stage: "cancelling" }, { failureCode: "" }],
  [{ stage: "concluding", outcome: { kind: "cancelled" } }, { failureCode: "" }],
])("of %j merchants see %j", (progress, seen) => {
  expect(visibleFailure(progress)).toMatchObject(seen);
});
