import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ComplianceService,
  Party_Type,
  type Screening,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import {
  type PartyWallet,
  type ScreeningResult,
  type ScreeningScope,
  screeningResult,
} from "../records/rules/screening.ts";

/** The RPCs of compliance that this service calls. */
export type ComplianceClient = Pick<
  Client<typeof ComplianceService>,
  "screenWallet" | "screenParty"
>;

/** An answer without a verdict or a time must never count as a clear one. */
function read(screening: Screening | undefined): ScreeningResult {
  const verdict = wordOf(Verdict, screening?.verdict ?? Verdict.UNSPECIFIED);
  if (screening?.createdAt === undefined || verdict === undefined) {
    throw new Error("compliance answered without a verdict");
  }
  return screeningResult(verdict, screening.id, timestampDate(screening.createdAt));
}

/** The record of an attempt, its merchant, and the attempt's number. */
export type Screened = {
  readonly id: string;
  readonly merchantId: string;
  readonly attempt: number;
};

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
      mutation: serviceMutation("beneficiary", `${recordId}:wallet`),
      subject: { merchantId, recordId: "" },
      networks: [...wallet.networks],
      address: wallet.address,
    });
    const result = read(screening);
    return result.status === "cleared" ? result : refused("RISK_ANALYSIS_FAILED");
  } catch (error) {
    if (!isUnavailable(error)) throw new Error("compliance failed", { cause: error });
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): ConnectError {
  return new ConnectError("compliance does not answer", Code.Unavailable, undefined, [], cause);
}

/**
 * Screens the parties and wallets of a stored record, which compliance watches from then on; two
 * calls for one attempt are one screening.
 */
export async function screenRecord(
  compliance: ComplianceClient,
  { id, merchantId, attempt }: Screened,
  { parties, wallets }: ScreeningScope,
): Promise<ScreeningResult> {
  const { screening } = await compliance.screenParty({
    mutation: serviceMutation("beneficiary", `${id}:party:${attempt}`),
    subject: { merchantId, recordId: id },
    parties: parties.map((each) => ({
      type: valueOfWord(Party_Type, each.type),
      name: each.name,
      date: each.date,
      countries: [...each.countries],
      documents: each.documentIds.map((number) => ({ number, country: "" })),
    })),
    wallets: wallets.map(({ networks, address }) => ({ networks: [...networks], address })),
  });
  return read(screening);
}
