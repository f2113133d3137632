import { z } from "zod";
import { decimalText, readFields, shortText } from "./file.ts";
import { type Corridor, isSameAmount, type Pair, pairOf, type Step } from "./step.ts";

const rate = {
  from: shortText,
  to: shortText,
  rate: decimalText,
  source: shortText.optional(),
  as_of: z.iso.datetime({ offset: true, error: "must be a time: 2026-11-20T11:26:00Z" }).optional(),
};

const file = {
  /** The publisher of all rates that don't set their own `source`. */
  source: shortText.optional(),
  rates: z.array(z.strictObject(rate, { error: "must have fields" }), { error: "must be a list" }),
};
const names = [file, rate].flatMap(Object.keys);

export function readRates(text: string) {
  return readFields(text, z.strictObject(file), names);
}

/**
 * Computes the changes that bring the file's rates into force. Skips a rate that is already in
 * force, unless the file gives the rate's time or `renews` is set. `renews` restarts the rate's
 * age.
 */
export function planRates(
  { rates, source: published }: ReturnType<typeof readRates>,
  corridors: ReadonlyMap<Pair, Corridor>,
  renews: boolean,
): { readonly steps: readonly Step[]; readonly problems: readonly string[] } {
  const steps: Step[] = [];
  const problems: string[] = [];
  const seen = new Set<Pair>();
  for (const [at, { from, to, rate: wanted, source = published, as_of }] of rates.entries()) {
    const pair = pairOf(from, to);
    const current = corridors.get(pair);
    if (seen.has(pair)) problems.push(`rates[${at}]: ${pair} appears twice`);
    seen.add(pair);
    if (current === undefined) problems.push(`rates[${at}]: there is no corridor ${pair}`);
    if (source === undefined) {
      problems.push(`rates[${at}].source: is required, here or at the top of the file`);
    }
    const before = current?.rate;
    const isSame = before !== undefined && isSameAmount(before.rate, wanted);
    const isSameTime = as_of === undefined || isSameMoment(as_of, before?.as_of);
    if (isSame && isSameTime && !renews) continue;
    steps.push({
      kind: "rate",
      pair,
      before: before?.rate ?? "",
      rate: { rate: wanted, source: source ?? "", ...(as_of !== undefined && { as_of }) },
    });
  }
  return { steps, problems };
}

function isSameMoment(one: string, other: string | undefined): boolean {
  return other !== undefined && Date.parse(one) === Date.parse(other);
}
