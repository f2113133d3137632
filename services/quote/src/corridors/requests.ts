import { create } from "@bufbuild/protobuf";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  CorridorTermsSchema,
  ReturnCharges,
  type SetCorridorRequest,
  type SetMerchantCorridorRequest,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { invalidRequest, refused, type Violation } from "@disburse/kernel/refusal.ts";
import { type CorridorTerms, type CorridorText, readCorridor } from "./rules/corridor.ts";
import { type CorridorStore, findCorridor } from "./store.ts";

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
