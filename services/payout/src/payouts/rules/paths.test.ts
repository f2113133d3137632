import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Outcome, RailStatus } from "@disburse/rail/report.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { effectOfOutcome } from "../../resolutions/rules/resolution.ts";
import { afterWithdrawal, nextOfCancellation } from "./cancellation.ts";
import { exceptionAfterStep, type PayoutException, raiseException } from "./exception.ts";
import { type ClosingStep, pendingMovement } from "./movement.ts";
import { applyRailStatus, type Progress, publicStatusOf } from "./progress.ts";
import { causeOf, causeOfEnd, type StepCause } from "./timeline.ts";

/** Exactly the arrows of the state diagram in docs/decisions/0008. */
const arrows: Readonly<Record<Progress["stage"], readonly Progress["stage"][]>> = {
  awaiting_approval: ["queued", "concluding"],
  queued: ["submitting", "awaiting_funds", "concluding"],
  awaiting_funds: ["submitting", "concluding"],
  submitting: ["submitting", "processing", "unknown", "cancelling", "concluding"],
  processing: ["submitting", "unknown", "cancelling", "concluding"],
  unknown: ["submitting", "processing", "unknown", "cancelling", "concluding"],
  cancelling: ["submitting", "concluding"],
  concluding: ["concluding", "settled", "returning", "rejected", "cancelled"],
  settled: ["returning"],
  returning: ["returned"],
  rejected: [],
  returned: [],
  cancelled: [],
};

const reference = fc.constantFrom("R", "other");
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  reference.map((each) => ({ kind: "settled", reference: each }) as const),
  fc.constant({ kind: "rejected" } as const),
  reference.map((each) => ({ kind: "returned", reference: each }) as const),
);
const answer: fc.Arbitrary<RailStatus> = fc.oneof(
  outcome,
  fc.constantFrom<RailStatus[]>(
    { kind: "accepted" },
    { kind: "unknown" },
    { kind: "not_received" },
  ),
);

/** An event in a payout's life. A worker may die before, between or after its writes. */
type Happening =
  | { readonly what: "submitted" }
  | { readonly what: "not funded" }
  | { readonly what: "reported"; readonly answer: RailStatus }
  | { readonly what: "resolved"; readonly outcome: Outcome }
  | { readonly what: "overdue" }
  /** The merchant cancels; `isWithdrawn` is the rail's reply. */
  | { readonly what: "cancelled"; readonly isWithdrawn: boolean }
  | { readonly what: "decided"; readonly as: "approved" | "approval_rejected" | "approval_expired" }
  | { readonly what: "worked"; readonly dies: "not" | "before it moved money" | "after it did" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant({ what: "submitted" } as const),
  fc.constant({ what: "not funded" } as const),
  { weight: 4, arbitrary: answer.map((each) => ({ what: "reported", answer: each }) as const) },
  { weight: 2, arbitrary: outcome.map((each) => ({ what: "resolved", outcome: each }) as const) },
  fc.constant({ what: "overdue" } as const),
  {
    weight: 2,
    arbitrary: fc.boolean().map((isWithdrawn) => ({ what: "cancelled", isWithdrawn }) as const),
  },
  fc
    .constantFrom("approved" as const, "approval_rejected" as const, "approval_expired" as const)
    .map((as) => ({ what: "decided", as }) as const),
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("not" as const, "before it moved money" as const, "after it did" as const)
      .map((dies) => ({ what: "worked", dies }) as const),
  },
);

const first = fc.constantFrom("queued" as const, "awaiting_approval" as const);

const at = new Date(0);

/** A payout of 10 from an account of 100, advanced like the service's writes do. */
class Life {
  progress: Progress;
  exception: PayoutException | undefined;
  readonly statuses = ["initiated"];
  readonly movements: ClosingStep[] = [];

  constructor(first: "queued" | "awaiting_approval") {
    this.progress = { stage: first };
  }

  apply(happening: Happening): void {
    switch (happening.what) {
      case "submitted":
        if (this.#isUnsent()) this.#step({ stage: "submitting" }, "submitted");
        return;
      case "not funded":
        if (this.progress.stage !== "queued") return;
        this.#step({ stage: "awaiting_funds" }, "awaiting_funds");
        return;
      case "reported":
        this.#hear(happening.answer);
        return;
      case "resolved": {
        const resolved = effectOfOutcome(this, happening.outcome);
        if (isRefused(resolved)) return;
        expect(this.exception).toBeDefined();
        if (resolved.kind === "moves") this.#step(resolved.to, "resolved");
        else this.exception = undefined;
        return;
      }
      case "overdue":
        if (publicStatusOf(this.progress).status !== "initiated") return;
        this.exception = raiseException(this.exception, "stuck", at);
        return;
      case "cancelled":
        this.#cancel(happening.isWithdrawn);
        return;
      case "decided":
        this.#decide(happening.as);
        return;
      case "worked":
        this.#work(happening.dies);
    }
  }

  #decide(as: "approved" | "approval_rejected" | "approval_expired"): void {
    if (this.progress.stage !== "awaiting_approval") return;
    const to: Progress =
      as === "approved"
        ? { stage: "queued" }
        : { stage: "concluding", outcome: { kind: "cancelled", because: as } };
    this.#step(to, as);
  }

  #cancel(isWithdrawn: boolean): void {
    const next = nextOfCancellation(this);
    if (next === "conclude") this.#step(afterWithdrawal(true), "cancelled");
    if (next === "intend") this.#step({ stage: "cancelling" }, "cancelled");
    if (next === "withdraw") this.#step(afterWithdrawal(isWithdrawn), "cancelled");
  }

  #isUnsent(): boolean {
    return this.progress.stage === "queued" || this.progress.stage === "awaiting_funds";
  }

  #hear(reported: RailStatus): void {
    const next = applyRailStatus(this.progress, reported);
    if (isRefused(next)) this.exception = raiseException(this.exception, "contradicted", at);
    else if (next !== "unchanged") this.#step(next, causeOf(reported));
  }

  /** A movement happens once per key, however often it is tried. */
  #work(dies: string): void {
    const movement = pendingMovement(this.progress);
    if (movement === undefined || dies === "before it moved money") return;
    if (!this.movements.includes(movement.step)) this.movements.push(movement.step);
    if (dies !== "not") return;
    this.#step(movement.to, causeOfEnd(movement.to));
  }

  #step(to: Progress, cause: StepCause): void {
    expect(arrows[this.progress.stage], `from ${this.progress.stage}`).toContain(to.stage);
    const { status } = publicStatusOf(to);
    if (status !== this.statuses.at(-1)) this.statuses.push(status);
    this.exception = exceptionAfterStep(this.exception, to.stage, cause, at);
    this.progress = to;
  }
}

const histories = [
  "initiated",
  "initiated,succeeded",
  "initiated,failed",
  "initiated,succeeded,failed",
];
/** The movements possible by each final stage, in order. */
const moved: Readonly<Record<string, readonly string[]>> = {
  settled: ["post"],
  rejected: ["release"],
  cancelled: ["release"],
  returned: ["post,return"],
  returning: ["post", "post,return"],
  concluding: ["", "post", "release"],
};

/** Random runs rarely reach the end of a return. */
const longest: Happening[] = [
  { what: "submitted" },
  { what: "reported", answer: { kind: "accepted" } },
  { what: "reported", answer: { kind: "settled", reference: "R" } },
  { what: "worked", dies: "not" },
  { what: "reported", answer: { kind: "returned", reference: "R" } },
  { what: "worked", dies: "not" },
];

it("no order of reports, resolutions and crashes leaves the diagram, and money moves once", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(first, fc.array(happening, { maxLength: 40 }), (begin, path) => {
      const life = new Life(begin);
      for (const each of path) {
        const before = publicStatusOf(life.progress).status;
        life.apply(each);
        const { stage } = life.progress;
        seen.add(stage);
        expect(moved[stage] ?? [""], stage).toContain(life.movements.join());
        if (before === "failed") expect(publicStatusOf(life.progress).status).toBe("failed");
      }
      expect(histories).toContain(life.statuses.join());
    }),
    { numRuns: 2_000, examples: [["queued", longest]] },
  );
  expect([...seen].toSorted()).toEqual(Object.keys(arrows).toSorted());
});
