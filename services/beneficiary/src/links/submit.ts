import { type DescMessage, fromJson, type Message } from "@bufbuild/protobuf";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { readViolations } from "@disburse/kernel/violations.ts";
import { type BeneficiaryDeps, cryptoCreation, fiatCreation } from "../beneficiaries/rpc.ts";
import { type Creation, checkRecord, createOnce } from "../creation/creation.ts";
import { bodyOfSubmission, formsOf, shownViolation } from "./forms.ts";
import { shownState } from "./rules/link.ts";
import type { Link, LinkOutcome, LinkStore, Submission } from "./store.ts";

export type SubmitDeps = BeneficiaryDeps & { readonly links: LinkStore };

export type Submitted =
  | {
      readonly state: ReturnType<typeof shownState>;
      /** True if the link has accepted these details, and not earlier ones. */
      readonly accepted?: true;
    }
  | { readonly violations: readonly Violation[] };

type Sent = { readonly form: number; readonly values: Readonly<Record<string, string>> };

/**
 * Accepts a beneficiary's details through a link, only once. The details are checked like a
 * merchant's own request, including wallet risk. A single write then stores them, if the link is
 * not expired, revoked or already used. After that write, this call or the sweep creates the
 * beneficiary. The link's id is the operation id, so only one beneficiary is created.
 */
export async function submitLink(
  deps: SubmitDeps,
  link: Link,
  token: string,
  { form: index, values }: Sent,
): Promise<Submitted> {
  const state = shownState(link, deps.clock.now());
  if (state !== "open") return { state };
  const form = formsOf(link.fields, deps.allowed)[index];
  if (form === undefined) return { violations: [{ field: "form", problem: "is required" }] };
  const submission = { kind: form.body, body: bodyOfSubmission(form, link.fields, values) };
  const checked = await check(deps, link, submission);
  if (checked !== "sound") {
    if (!("violations" in checked)) return checked;
    const shown = checked.violations.map((each) => shownViolation(each, form, link.fields));
    return { violations: shown };
  }
  if (!(await deps.links.submit(link, token, submission))) {
    const now = await deps.links.readByToken(token);
    return { state: now === undefined ? "revoked" : shownState(now, deps.clock.now()) };
  }
  await completeLater(deps, { ...link, state: "submitted", submission });
  return { state: "used", accepted: true };
}

/** Converts the details to the message that a merchant's own request would contain. */
function creationOf({ kind, body }: Submission): {
  readonly creation: Creation<DescMessage>;
  readonly fields: Message;
} {
  return kind === "crypto"
    ? { creation: cryptoCreation, fields: fromJson(cryptoCreation.schema, body) }
    : { creation: fiatCreation, fields: fromJson(fiatCreation.schema, body) };
}

/** Runs a creation's checks and stores nothing. */
async function check(
  deps: SubmitDeps,
  { merchantId }: Link,
  submission: Submission,
): Promise<Submitted | "sound"> {
  const { creation, fields } = creationOf(submission);
  try {
    await checkRecord(deps, creation, { merchantId, fields, unreadable: [] });
    return "sound";
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal === undefined || isUnavailable(error)) throw error;
    switch (refusal.code) {
      case "INVALID_REQUEST":
        return { violations: readViolations(refusal.message).map(violationOf) };
      case "INVALID_WALLET_ADDRESS": {
        const problem = "must be an address on this network that somebody can own";
        return { violations: [{ field: "beneficiary_account_number", problem }] };
      }
      // Accepts the details as usual, because only the merchant may learn screening results.
      case "RISK_ANALYSIS_FAILED":
        return "sound";
      default:
        // The merchant may no longer create beneficiaries.
        return { state: "revoked" };
    }
  }
}

function violationOf({ field, message }: { readonly field: string; readonly message: string }) {
  return { field, problem: message };
}

/** A link's call and the sweep use the same operation, so only one of them creates. */
function changeOf({ id }: Link) {
  const actor = { kind: "service", id: "beneficiary" } as const;
  return { operationId: id, actor, content: id };
}

async function complete(deps: SubmitDeps, link: Link): Promise<void> {
  const { merchantId, submission } = link;
  if (submission === undefined) throw new Error("a submitted link has no submitted details");
  let outcome: LinkOutcome;
  try {
    const { creation, fields } = creationOf(submission);
    const request = { merchantId, fields, unreadable: [] };
    const change = changeOf(link);
    const { record } = await createOnce(deps, deps.beneficiaries, creation, request, change);
    outcome = { beneficiary_id: record.id };
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal === undefined || isUnavailable(error)) throw error;
    outcome = { failure_code: refusal.code };
  }
  await deps.links.finish(link, outcome);
}

/** Tries to complete a submitted link. On failure, the sweep completes it. */
async function completeLater(deps: SubmitDeps, link: Link): Promise<void> {
  try {
    await complete(deps, link);
  } catch (error) {
    deps.log.warn(
      { err: error, link_id: link.id },
      "could not create the beneficiary of a submitted link; the creation will be retried",
    );
  }
}

/**
 * The interval of the sweep. It completes submitted beneficiary details that a crashed process
 * left.
 */
const sweepMs = 5_000;

/** Starts the sweep, which creates beneficiaries from details left behind by a crashed process. */
export function startLinkSweep(deps: SubmitDeps & { readonly log: Log }): Loop {
  const run = async () => {
    for (const link of await deps.links.takeDue(deps.clock.now())) {
      await completeLater(deps, link);
    }
    return false;
  };
  return startLoop({ name: "link-sweep", everyMs: sweepMs, run, log: deps.log });
}
