import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  CorridorTermsSchema,
  ReturnCharges,
  type SetCorridorRequest,
  type SetMerchantCorridorRequest,
  type SetRateRequest,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { invalidRequest, refused, type Violation } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  type CorridorTerms,
  type CorridorText,
  type Rate,
  readCorridor,
  readRate,
} from "./rules/corridor.ts";
import { type CorridorStore, findCorridor } from "./store.ts";

/**
 * The maximum time by which a rate's `as_of` may be in the future, for clock skew. A rate dated
 * tomorrow would stay in force until then.
 */
const aheadMaxMs = 60_000;
/** The maximum length of a source name, so that it fits on one line of an audit report. */
const rateSourceMax = 64;

export type RequestDeps = {
  readonly corridors: CorridorStore;
  /**
   * Checks that a rail pays a currency, before a corridor to it is opened. Absent in the sandbox,
   * whose simulated rail pays all currencies.
   */
  readonly isPayable?: ((currency: string) => Promise<boolean>) | undefined;
};

/** Reads the terms of a corridor. Throws a refusal if they can't take effect. */
export async function readTerms(
  deps: RequestDeps,
  corridor: SetCorridorRequest["corridor"],
): Promise<CorridorTerms> {
  const text = corridorText(corridor);
  if (!("source" in text)) return orThrow(invalidRequest(text));
  const terms = readCorridor(text);
  if (!("source" in terms)) return orThrow(invalidRequest(terms));
  if (terms.active) await assertPayable(deps, terms.destination);
  return terms;
}

/** Reads `open`. Throws a refusal if the corridor can't be opened to the merchant. */
export async function readOpening(
  deps: RequestDeps,
  { corridorId, open }: Pick<SetMerchantCorridorRequest, "corridorId" | "open">,
): Promise<boolean> {
  if (open === undefined) return orThrow(refused("INVALID_REQUEST", "open: is required"));
  const found = await findCorridor(deps.corridors, { _id: corridorId });
  const { destination } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
  if (open) await assertPayable(deps, destination);
  return open;
}

/** Reads a rate, whose time is now if it has none. Throws a refusal if it can't be added. */
export async function readRateRequest(
  { corridors, clock }: Pick<RequestDeps, "corridors"> & { readonly clock: Clock },
  { corridorId, rate }: Pick<SetRateRequest, "corridorId" | "rate">,
): Promise<Rate> {
  orThrow((await findCorridor(corridors, { _id: corridorId })) ?? refused("RECORD_NOT_FOUND"));
  const decimal = readRate(rate?.rate ?? "");
  const source = cleanText(rate?.source ?? "");
  if (decimal === undefined || source === "" || source.length > rateSourceMax) {
    const problem = "rate: must have a rate above zero with at most 10 decimals, and a source";
    return orThrow(refused("INVALID_REQUEST", problem));
  }
  const asOf = rate?.asOf === undefined ? clock.now() : timestampDate(rate.asOf);
  if (!(asOf.getTime() <= clock.now().getTime() + aheadMaxMs)) {
    return orThrow(refused("INVALID_REQUEST", "rate.as_of: must not be in the future"));
  }
  return { rate: decimal, asOf, source };
}

async function assertPayable({ isPayable }: RequestDeps, destination: string): Promise<void> {
  if (isPayable === undefined || (await isPayable(destination))) return;
  const problem = `destination_currency_code: no configured rail supports ${destination}`;
  orThrow(refused("INVALID_REQUEST", problem));
}

/** Reads the terms of a request. Each term is required; a violation names the missing one. */
function corridorText(corridor = create(CorridorTermsSchema)): CorridorText | Violation[] {
  const { active, feeShare, feeFlat, limits, quoteTtlSeconds, rateMaxAgeSeconds } = corridor;
  const returnCharges = enumName(ReturnCharges, corridor.returnCharges);
  if (
    active === undefined ||
    feeShare === undefined ||
    feeFlat === undefined ||
    limits === undefined ||
    quoteTtlSeconds === undefined ||
    rateMaxAgeSeconds === undefined ||
    returnCharges === undefined
  ) {
    const required = { active, feeShare, feeFlat, limits, quoteTtlSeconds, rateMaxAgeSeconds };
    const missing = Object.entries({ ...required, returnCharges }).filter(
      ([, value]) => value === undefined,
    );
    return missing.map(([name]) => ({
      field: CorridorTermsSchema.fields.find(({ localName }) => localName === name)?.name ?? name,
      problem: "is required",
    }));
  }
  return {
    ...limits,
    active,
    feeShare,
    feeFlat,
    quoteTtlSeconds,
    rateMaxAgeSeconds,
    returnCharges,
    source: corridor.sourceCurrencyCode,
    destination: corridor.destinationCurrencyCode,
  };
}
