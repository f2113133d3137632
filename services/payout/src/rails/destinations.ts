import { create } from "@bufbuild/protobuf";
import {
  type DestinationRail,
  DestinationRailSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { beneficiaryForms } from "@disburse/forms/describe/discovery.ts";
import type { RailDirectory } from "./directory.ts";
import type { Way } from "./rules/routing.ts";

/** How beneficiaries of a currency can be paid, by the forms of beneficiaries. */
export function waysTo(currency: string): readonly Way[] {
  const ways = new Map<string, Way>();
  for (const { transferType, fields } of beneficiaryForms({ destinationCurrency: currency })) {
    const isCrypto = transferType === "";
    const network = fields.find(({ name }) => name === "routing_code_value_1");
    for (const each of isCrypto ? (network?.allowed ?? []) : [""]) {
      const transferMethod = isCrypto ? "CRYPTO" : transferType;
      ways.set(`${transferMethod} ${each}`, { currency, transferMethod, network: each });
    }
  }
  return [...ways.values()];
}

/** The rails that pay a currency, each with the way that goes to it. */
export function railsTo(
  rails: Pick<RailDirectory, "railOf">,
  currency: string,
  now: Date,
): DestinationRail[] {
  return waysTo(currency).flatMap((way) => {
    const rail = rails.railOf(way);
    if (rail === undefined) return [];
    // When a payout is settled does not depend on its amount.
    const transfer = { ...way, amount: 1n };
    const cutOff = rail.cutOff?.(transfer);
    const expectedAt = rail.expectedAt?.(transfer, now);
    return create(DestinationRailSchema, {
      rail: rail.name,
      transferMethod: way.transferMethod,
      network: way.network,
      ...(cutOff && { cutOff: `${cutOff.time} ${cutOff.zone}` }),
      ...(expectedAt && { settlementSeconds: secondsUntil(expectedAt, now) }),
    });
  });
}

function secondsUntil(at: Date, now: Date): bigint {
  return BigInt(Math.ceil((at.getTime() - now.getTime()) / 1_000));
}
