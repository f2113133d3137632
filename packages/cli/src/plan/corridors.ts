import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { decimalText, readFields, shortText, wholeNumber, yesOrNo } from "./file.ts";
import {
  type Corridor,
  type Difference,
  isSameAmount,
  type Pair,
  pairOf,
  type Step,
} from "./step.ts";

const limits = {
  source_min: decimalText.optional(),
  source_max: decimalText.optional(),
  receiving_min: decimalText.optional(),
  receiving_max: decimalText.optional(),
};

const corridor = {
  from: shortText,
  to: shortText,
  active: yesOrNo.optional(),
  fee_share: decimalText.optional(),
  fee_flat: decimalText.optional(),
  limits: z.strictObject(limits, { error: "must have fields" }).optional(),
  quote_ttl_seconds: wholeNumber.optional(),
  rate_max_age_seconds: wholeNumber.optional(),
  return_charges: z
    .enum(["platform", "merchant"], { error: "must be platform or merchant" })
    .optional(),
  open_to: z.array(shortText, { error: "must be a list of merchants" }).optional(),
  closed_to: z.array(shortText, { error: "must be a list of merchants" }).optional(),
};

const file = {
  corridors: z.array(z.strictObject(corridor, { error: "must have fields" }), {
    error: "must be a list",
  }),
};
const names = [file, corridor, limits].flatMap(Object.keys);

/** A corridor in a file; omitted fields stay unchanged. */
type WantedCorridor = z.output<typeof file.corridors>[number];

export function readCorridors(text: string): readonly WantedCorridor[] {
  return readFields(text, z.strictObject(file), names).corridors;
}

/** Returns every merchant for which the file opens or closes a corridor. */
export function merchantsOf(wanted: readonly WantedCorridor[]): readonly string[] {
  return [
    ...new Set(wanted.flatMap(({ open_to = [], closed_to = [] }) => [...open_to, ...closed_to])),
  ];
}

export type CurrentCorridors = {
  readonly corridors: ReadonlyMap<Pair, Corridor>;
  readonly open: ReadonlyMap<string, ReadonlySet<Pair>>;
};

/** Computes the changes that bring corridors to the state in the file, and the file's errors. */
export function planCorridors(
  wanted: readonly WantedCorridor[],
  { corridors, open }: CurrentCorridors,
): { readonly steps: readonly Step[]; readonly problems: readonly string[] } {
  const steps: Step[] = [];
  const problems: string[] = [];
  const seen = new Set<Pair>();
  for (const [at, each] of wanted.entries()) {
    const pair = pairOf(each.from, each.to);
    if (seen.has(pair)) problems.push(`corridors[${at}]: ${pair} appears twice`);
    seen.add(pair);
    const { open_to = [], closed_to = [] } = each;
    for (const merchant of open_to.filter((one) => closed_to.includes(one))) {
      problems.push(`corridors[${at}]: ${merchant} is in open_to and in closed_to`);
    }
    const current = corridors.get(pair);
    for (const missing of current === undefined ? missingOf(each) : []) {
      problems.push(`corridors[${at}].${missing}: is required for the new corridor ${pair}`);
    }
    steps.push(...stepsOf(each, pair, current));
    const isOpen = (merchant: string) => open.get(merchant)?.has(pair) ?? false;
    for (const merchant of open_to.filter((one) => !isOpen(one))) {
      steps.push({ kind: "opening", pair, merchant, open: true });
    }
    for (const merchant of closed_to.filter(isOpen)) {
      steps.push({ kind: "opening", pair, merchant, open: false });
    }
  }
  return { steps, problems };
}

/** Fields without a default, required for a new corridor. */
const requiredOfNew = ["active", "fee_share", "fee_flat"] as const;

const missingOf = (wanted: WantedCorridor) =>
  requiredOfNew.filter((name) => wanted[name] === undefined);

function stepsOf(wanted: WantedCorridor, pair: Pair, current: Corridor | undefined): Step[] {
  const before = termsOf(current);
  const after = { ...before, ...givenTerms(wanted) };
  const changes = Object.entries(after).flatMap(([name, value]): Difference[] => {
    const old = before[name];
    return isSame(old, value) ? [] : [{ field: name, before: old ?? "", after: value ?? "" }];
  });
  if (current !== undefined && changes.length === 0) return [];
  return [
    {
      kind: "corridor",
      pair,
      isNew: current === undefined,
      changes,
      corridor: bodyOf(pair, after),
    },
  ];
}

/** A corridor's terms under the flat names that a plan prints. */
type Terms = Readonly<Record<string, string | number | boolean | undefined>>;

const limitNames = ["source_min", "source_max", "receiving_min", "receiving_max"] as const;

function termsOf(current: Corridor | undefined): Terms {
  if (current === undefined) return {};
  const { limits: bounds = {} } = current;
  return {
    active: current.active,
    fee_share: current.fee_share,
    fee_flat: current.fee_flat,
    ...Object.fromEntries(limitNames.map((name) => [`limits.${name}`, bounds[name] ?? ""])),
    quote_ttl_seconds: current.quote_ttl_seconds,
    rate_max_age_seconds: current.rate_max_age_seconds,
    return_charges: current.return_charges,
  };
}

/** Returns the terms in a file. If the file sets any limit, its limits replace all four limits. */
function givenTerms({ limits: bounds, ...wanted }: WantedCorridor): Terms {
  const { active, fee_share, fee_flat, quote_ttl_seconds, rate_max_age_seconds } = wanted;
  const { return_charges } = wanted;
  const times = { quote_ttl_seconds, rate_max_age_seconds };
  const plain = { active, fee_share, fee_flat, ...times, return_charges };
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  const limited = bounds === undefined ? [] : limitNames;
  return Object.fromEntries([
    ...given,
    ...limited.map((name) => [`limits.${name}`, bounds?.[name] ?? ""] as const),
  ]);
}

function isSame(one: Terms[string], other: Terms[string]): boolean {
  if (typeof one === "string" && typeof other === "string") return isSameAmount(one, other);
  return one === other;
}

/** Builds the complete corridor for `SetCorridor`. */
function bodyOf(pair: Pair, terms: Terms): JsonObject {
  const [source_currency_code = "", destination_currency_code = ""] = pair.split("→");
  const value = (name: string) => terms[name] ?? null;
  return {
    source_currency_code,
    destination_currency_code,
    active: value("active"),
    fee_share: value("fee_share"),
    fee_flat: value("fee_flat"),
    limits: Object.fromEntries(limitNames.map((name) => [name, value(`limits.${name}`)])),
    // Defaults for a new corridor whose file omits these fields: the service's quote validity, no
    // maximum rate age, and return charges borne by the platform.
    quote_ttl_seconds: terms.quote_ttl_seconds ?? 0,
    rate_max_age_seconds: terms.rate_max_age_seconds ?? 0,
    return_charges: `RETURN_CHARGES_${String(terms.return_charges || "platform").toUpperCase()}`,
  };
}
