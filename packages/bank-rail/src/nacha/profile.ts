import type { AchProfile } from "@disburse/bank-files/nacha/credit.ts";
import { writeAch } from "@disburse/bank-files/nacha/write.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { z } from "zod";
import { count, text } from "../settings-parts.ts";

/**
 * The maximum number of entries in one file. The file's document lists all of them, so this limit
 * bounds its size.
 */
const entriesMost = 20_000;

const routingSchema = z.string().regex(/^\d{9}$/, "must be nine digits");

/**
 * Settings for NACHA files, from the handbook of the bank (the ODFI). See `AchProfile` of
 * bank-files.
 */
export const nachaProfile = z.strictObject({
  destination: z.strictObject({ routing: routingSchema, name: text(23) }),
  origin: z.strictObject({ id: text(10), name: text(23) }),
  /** `description` appears on the receivers' statements. */
  company: z.strictObject({ name: text(16), id: text(10), description: text(10) }),
  /** The first eight digits of the bank's routing number. */
  odfi: z.string().regex(/^\d{8}$/, "must be eight digits"),
  /** The debited account. Set if the bank requires balanced files. */
  balanced_by: z
    .strictObject({
      routing: routingSchema,
      account: text(17),
      account_type: z.enum(["checking", "savings"]),
    })
    .optional(),
  line_end: z.enum(["lf", "crlf"]).default("lf"),
  payments_max: count(1, entriesMost).default(10_000),
});

export type NachaProfile = z.output<typeof nachaProfile>;

/** Converts the settings to the writer's profile. */
export function achProfile(profile: NachaProfile): AchProfile {
  const { destination, origin, company, odfi, balanced_by: balanced } = profile;
  return {
    destination,
    origin,
    company,
    odfi,
    ...(balanced !== undefined && {
      balancedBy: {
        routing: balanced.routing,
        account: balanced.account,
        accountType: balanced.account_type,
      },
    }),
    lineEnd: profile.line_end === "lf" ? "\n" : "\r\n",
    entriesMax: profile.payments_max,
  };
}

/** Returns faults of the profile that affect every payment, for example `odfi: is not …`. */
export function nachaProfileProblems(profile: NachaProfile): string[] {
  const written = writeAch(achProfile(profile), {
    createdOn: "2026-01-02",
    createdAt: "09:00",
    ordinal: 0,
    traceFrom: 1,
    credits: [
      {
        payoutId: "po_00000000000000000000000000",
        entryClass: "PPD",
        routing: "021000021",
        account: "1",
        accountType: "checking",
        cents: 1n,
        name: "X",
        effectiveOn: "2026-01-05",
      },
    ],
  });
  if (!isRefused(written)) return [];
  return written.faults.map(({ field, problem }) => `${field}: ${problem}`);
}
