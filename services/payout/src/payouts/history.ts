import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { PayoutDocument, StoredCall, StoredStep } from "./document.ts";
import type { Progress } from "./rules/progress.ts";

/** A step of the payout, a call to its rail, or a report from the rail. */
export type HistoryEntry = {
  readonly kind: "step" | "submit" | "query" | "callback";
  readonly at: Date;
  /** The stage after a step, or during a call. */
  readonly stage: Progress["stage"];
  /** The payout's version at that time. */
  readonly version: number;
  /** For a step its cause, for a call its response or "", and for a callback the report's text. */
  readonly detail: string;
  /** The rail's name. "" before a rail is chosen. */
  readonly rail: string;
  readonly actor: StoredActor | undefined;
};

type OpenEntry = { -readonly [Key in keyof HistoryEntry]: HistoryEntry[Key] };

/** Merges the steps and calls of a stored payout, oldest first. */
export function historyOf(
  document: Pick<PayoutDocument, "journal" | "calls" | "rail" | "submitted_at">,
): HistoryEntry[] {
  const entries: OpenEntry[] = [];
  let stage: Progress["stage"] = "queued";
  let version = 1;
  let open: OpenEntry | undefined;
  for (const entry of inOrder(document.journal, document.calls)) {
    const { at, actor } = entry;
    const isSubmitted = document.submitted_at !== undefined && at >= document.submitted_at;
    const rail = (isSubmitted && document.rail) || "";
    if ("stage" in entry) {
      ({ stage, version } = entry);
      entries.push({ kind: "step", at, stage, version, detail: entry.detail, rail, actor });
      continue;
    }
    const said = entry.said ?? "";
    if (entry.kind === "answer") {
      if (open !== undefined) open.detail = said;
      open = undefined;
      continue;
    }
    const kind = callKinds[entry.kind];
    if (entry.kind === "leased" && !polled.has(stage)) continue;
    const added: OpenEntry = { kind, at, stage, version, detail: said, rail, actor };
    if (entry.kind !== "callback") open = added;
    entries.push(added);
  }
  return entries;
}

/** The stages in which a worker polls the rail before it does anything else. */
const polled: ReadonlySet<Progress["stage"]> = new Set([
  "submitting",
  "processing",
  "unknown",
  "settled",
]);

const callKinds = { leased: "query", submit: "submit", callback: "callback" } as const;

/**
 * Merges two sorted lists. If a call and a step have the same time, the call comes first, because
 * it caused the step.
 */
function inOrder(steps: readonly StoredStep[], calls: readonly StoredCall[]) {
  let left = calls;
  const merged = steps.flatMap((step): (StoredStep | StoredCall)[] => {
    const next = left.findIndex((call) => isBefore(step, call));
    const before = next === -1 ? left : left.slice(0, next);
    left = left.slice(before.length);
    return [...before, step];
  });
  return [...merged, ...left];
}

function isBefore({ at, stage }: StoredStep, call: StoredCall): boolean {
  const ahead = at.getTime() - call.at.getTime();
  const comesFirst = stage === "queued" || (stage === "submitting" && call.kind === "submit");
  return ahead < 0 || (ahead === 0 && comesFirst);
}
