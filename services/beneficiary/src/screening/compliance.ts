import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
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

export type ComplianceClient = Pick<
  Client<typeof ComplianceService>,
  "screenWallet" | "screenParty"
>;

/** Throws if the verdict or the time is missing, so that it never counts as clear. */
export function readScreening(screening: Screening | undefined): ScreeningResult {
  const verdict = enumName(Verdict, screening?.verdict ?? Verdict.UNSPECIFIED);
  if (screening?.createdAt === undefined || verdict === undefined) {
    throw new Error("the compliance service returned no verdict");
  }
  return screeningResult(verdict, screening.id, timestampDate(screening.createdAt));
}

/**
 * Screens a wallet before its owner is stored. `recordId` is the owner's future id. Each retry has
 * a new id, so that it uses the current lists. Every verdict except clear counts as risky. Throws
 * `UNAVAILABLE` if compliance is unavailable.
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
    if (!isUnavailable(error))
      throw new Error("the call to the compliance service failed", { cause: error });
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): ConnectError {
  return new ConnectError(
    "the compliance service does not respond",
    Code.Unavailable,
    undefined,
    [],
    cause,
  );
}

/** Screens a stored record, which compliance then monitors. Each attempt is a new screening. */
export async function screenRecord(
  compliance: ComplianceClient,
  { record: { id, merchantId }, scope: { parties, wallets, banks }, attempt }: Due,
): Promise<ScreeningResult> {
  const { screening } = await compliance.screenParty({
    mutation: { operationId: `${id}:party:${attempt}` },
    subject: { merchantId, recordId: id },
    parties: parties.map((each) => ({
      type: enumValue(Party_Type, each.type),
      name: each.name,
      date: each.date,
      countries: [...each.countries],
      documents: each.documentIds.map((number) => ({ number, country: "" })),
    })),
    wallets: wallets.map(({ networks, address }) => ({ networks: [...networks], address })),
    banks: [...banks],
  });
  return readScreening(screening);
}

export type ScreeningDeps = {
  readonly compliance: ComplianceClient;
  /**
   * Returns true if a record stays pending until its merchant sets a result; absent in live mode.
   */
  readonly holdsBack?: ((scope: ScreeningScope) => boolean) | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** After `unanswered`, the record stays pending until it is due again. */
type Attempt = "screened" | "unanswered" | "failed";

/**
 * Attempts one screening, by default after the creation returned. Never throws for failures of
 * compliance, because the next attempt is already scheduled.
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
    if (unanswered)
      log.warn(
        { record_id: id, attempt },
        "record not screened, because the compliance service is unavailable; the screening will be retried",
      );
    else
      log.error(
        { err: error, record_id: id, attempt },
        "could not screen a record; the screening will be retried",
      );
    return unanswered ? "unanswered" : "failed";
  }
}

/**
 * Attempts a screening within a creation or its repeat. Skips a record that already has a result.
 */
export async function screenNow(
  deps: ScreeningDeps,
  store: RecordStore,
  opened: Opened<StoredRecord>,
): Promise<void> {
  const { screening } = opened.record;
  if (screening.status !== "pending") return;
  const due = { ...opened, attempt: screening.attempts };
  // The response includes the result, so the merchant needs no event.
  await attemptScreening(deps, store, due, "creation");
}
