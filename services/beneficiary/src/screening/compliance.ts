import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { valueOfWord, wordOf } from "@disburse/chassis/enum-words.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ComplianceService,
  Party_Type,
  type Screening,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { StoredRecord } from "../records/rules/record.ts";
import {
  type PartyWallet,
  type ScreeningResult,
  type ScreeningScope,
  screeningResult,
} from "../records/rules/screening.ts";
import type { Due, Opened, RecordStore, WrittenAt } from "../records/store.ts";

/** The RPCs of compliance that this service calls. */
export type ComplianceClient = Pick<
  Client<typeof ComplianceService>,
  "screenWallet" | "screenParty"
>;

/** An answer without a verdict or a time must never count as a clear one. */
export function readScreening(screening: Screening | undefined): ScreeningResult {
  const verdict = wordOf(Verdict, screening?.verdict ?? Verdict.UNSPECIFIED);
  if (screening?.createdAt === undefined || verdict === undefined) {
    throw new Error("compliance answered without a verdict");
  }
  return screeningResult(verdict, screening.id, timestampDate(screening.createdAt));
}

/**
 * Screens a wallet before its owner is stored; `recordId` is the owner's id to be, new with each
 * try, so that a later try is compared with the lists as they then are. Anything but clear is
 * risky. Throws `UNAVAILABLE` where compliance does not answer.
 */
export async function screenWallet(
  compliance: Pick<ComplianceClient, "screenWallet">,
  wallet: PartyWallet,
  { merchantId, recordId }: { merchantId: string; recordId: string },
): Promise<ScreeningResult | Refused<"RISK_ANALYSIS_FAILED">> {
  try {
    const { screening } = await compliance.screenWallet({
      mutation: { operationId: `${recordId}:wallet` },
      subject: { merchantId, recordId: "" },
      networks: [...wallet.networks],
      address: wallet.address,
    });
    const result = readScreening(screening);
    return result.status === "cleared" ? result : refused("RISK_ANALYSIS_FAILED");
  } catch (error) {
    if (!isUnavailable(error)) throw new Error("compliance failed", { cause: error });
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): ConnectError {
  return new ConnectError("compliance does not answer", Code.Unavailable, undefined, [], cause);
}

/** Screens a stored record, which compliance then monitors; one attempt is one screening. */
export async function screenRecord(
  compliance: ComplianceClient,
  { record: { id, merchantId }, scope: { parties, wallets, banks }, attempt }: Due,
): Promise<ScreeningResult> {
  const { screening } = await compliance.screenParty({
    mutation: { operationId: `${id}:party:${attempt}` },
    subject: { merchantId, recordId: id },
    parties: parties.map((each) => ({
      type: valueOfWord(Party_Type, each.type),
      name: each.name,
      date: each.date,
      countries: [...each.countries],
      documents: each.documentIds.map((number) => ({ number, country: "" })),
    })),
    wallets: wallets.map(({ networks, address }) => ({ networks: [...networks], address })),
    banks: banks.map(({ name, bic }) => ({ name, bic })),
  });
  return readScreening(screening);
}

/** What an attempt at screening works with. */
export type ScreeningDeps = {
  readonly compliance: ComplianceClient;
  /** Whether a record stays pending until its merchant says more; absent in live mode. */
  readonly holdsBack?: ((scope: ScreeningScope) => boolean) | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** How an attempt ended; after `unanswered` the record stays pending until it is due again. */
type Attempt = "screened" | "unanswered" | "failed";

/**
 * One attempt at screening a record, by default after its creation was answered. Never throws for
 * compliance: the next one is scheduled.
 */
export async function attemptScreening(
  { compliance, holdsBack, clock, log }: ScreeningDeps,
  store: RecordStore,
  due: Due,
  at: WrittenAt = "later",
): Promise<Attempt> {
  const { attempt } = due;
  if (holdsBack?.(due.scope) === true) return "failed";
  const { id, merchantId } = due.record;
  const started = performance.now();
  try {
    const result = await screenRecord(compliance, due);
    await store.writeScreening(merchantId, id, result, clock.now(), at);
    const duration_ms = Math.round(performance.now() - started);
    log.debug({ record_id: id, attempt, status: result.status, duration_ms }, "record screened");
    return "screened";
  } catch (error) {
    const unanswered = isUnavailable(error);
    if (unanswered) log.warn({ record_id: id, attempt }, "screening not answered");
    else log.error({ err: error, record_id: id, attempt }, "screening failed");
    return unanswered ? "unanswered" : "failed";
  }
}

/** The attempt of a creation or its repeat; nothing to do where the record has a result already. */
export async function screenNow(
  deps: ScreeningDeps,
  store: RecordStore,
  opened: Opened<StoredRecord>,
): Promise<void> {
  const { screening } = opened.record;
  if (screening.status !== "pending") return;
  const due = { ...opened, attempt: screening.attempts };
  // Its merchant knows by the answer.
  await attemptScreening(deps, store, due, "creation");
}
