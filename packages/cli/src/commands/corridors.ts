import type { JsonObject } from "@bufbuild/protobuf";
import { plainOf } from "@disburse/commands/table/plain.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { CommandError, failureOf } from "../output/failure.ts";
import { merchantsOf, planCorridors, readCorridors } from "../plan/corridors.ts";
import { readText } from "../plan/file.ts";
import { planRates, readRates } from "../plan/rates.ts";
import { type Corridor, type Pair, pairOf, type Step, stepJson, stepText } from "../plan/step.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

const quote = QuoteService.method;
const pageMax = 100;

type Corridors = ReadonlyMap<Pair, Corridor>;

/**
 * Returns all corridors. If a merchant is given, returns only the corridors that are open to that
 * merchant.
 */
async function listCorridors({ calls }: Invocation, merchantId = ""): Promise<Corridors> {
  const method = quote.listCorridors;
  const found = new Map<Pair, Corridor>();
  let cursor = "";
  do {
    const request = { merchant_id: merchantId, limit: pageMax, cursor };
    const answer = await calls.call(method, messageOf(method, request));
    const page = plainOf(method.output, answer) as { corridors?: unknown; next_cursor?: string };
    for (const each of (page.corridors ?? []) as Corridor[]) {
      found.set(pairOf(each.source_currency_code, each.destination_currency_code), each);
    }
    cursor = page.next_cursor ?? "";
  } while (cursor !== "");
  return found;
}

/** A plan and the corridors on which it is based. */
type Plan = { readonly steps: readonly Step[]; readonly corridors: Corridors };

async function corridorsPlan(invocation: Invocation): Promise<Plan> {
  const wanted = readCorridors(await readText(invocation.world, invocation.required("<file>")));
  const corridors = await listCorridors(invocation);
  const open = new Map<string, ReadonlySet<Pair>>();
  for (const merchant of merchantsOf(wanted)) {
    open.set(merchant, new Set((await listCorridors(invocation, merchant)).keys()));
  }
  return possible(planCorridors(wanted, { corridors, open }), corridors);
}

async function ratesPlan(invocation: Invocation): Promise<Plan> {
  const wanted = readRates(await readText(invocation.world, invocation.required("<file>")));
  const corridors = await listCorridors(invocation);
  return possible(planRates(wanted, corridors, invocation.has("--renew")), corridors);
}

function possible(
  { steps, problems }: { readonly steps: readonly Step[]; readonly problems: readonly string[] },
  corridors: Corridors,
): Plan {
  if (problems.length === 0) return { steps, corridors };
  throw new CommandError(problems.join("; "), { exit: "failed", code: "impossible_plan" });
}

const nothing = "nothing to do: the state matches the file\n";

function showPlan(invocation: Invocation, { steps }: Plan): void {
  const json = { changes: steps.map(stepJson) };
  invocation.show(json, () =>
    steps.length === 0 ? nothing : `${steps.map(stepText).join("\n")}\n`,
  );
}

/** Shows a plan, asks for confirmation and applies its steps in order. */
async function applyPlan(invocation: Invocation, plan: Plan): Promise<void> {
  const { steps, corridors } = plan;
  if (steps.length === 0 || invocation.isDryRun) return showPlan(invocation, plan);
  if (!invocation.isJson) invocation.world.out(`${steps.map(stepText).join("\n")}\n`);
  if (!(await invocation.confirm(`apply ${steps.length} changes?`))) {
    throw new CommandError("nothing was changed", { exit: "failed", code: "not_confirmed" });
  }
  const ids = new Map([...corridors].map(([pair, { id }]) => [pair, id]));
  const waiting: unknown[] = [];
  for (const [at, step] of steps.entries()) {
    try {
      await applyStep(invocation, step, ids);
    } catch (error) {
      if (failureOf(error).exit !== "approval") throw partly(error, at, steps.length);
      invocation.note(`${step.pair}: ${failureOf(error).message}`);
      waiting.push(error);
    }
  }
  const applied = steps.length - waiting.length;
  const [first] = waiting;
  if (first !== undefined) throw first;
  const json = { applied, changes: steps.map(stepJson) };
  invocation.show(json, () => `applied ${applied} of ${steps.length} changes\n`);
}

/**
 * Adds the number of applied steps to an error. Applying the file again applies the remaining
 * steps.
 */
function partly(error: unknown, done: number, all: number): unknown {
  const { exit, code, message } = failureOf(error);
  const why = `${message}; ${done} of ${all} changes were applied`;
  return new CommandError(why, { exit, code, cause: error });
}

/** Applies one change. Repeating the command with the same operation id doesn't apply it twice. */
async function applyStep({ calls }: Invocation, step: Step, ids: Map<Pair, string>): Promise<void> {
  const mutation = calls.mutation(stepName(step));
  if (step.kind === "corridor") {
    const method = quote.setCorridor;
    const request = messageOf(method, { mutation, corridor: step.corridor });
    const { corridor } = await calls.call(method, request);
    ids.set(step.pair, corridor?.id ?? "");
    return;
  }
  const corridor_id = ids.get(step.pair) ?? "";
  if (step.kind === "opening") {
    const method = quote.setMerchantCorridor;
    const { merchant: merchant_id, open } = step;
    await calls.call(method, messageOf(method, { mutation, merchant_id, corridor_id, open }));
    return;
  }
  const method = quote.setRate;
  const rate: JsonObject = { ...step.rate };
  await calls.call(method, messageOf(method, { mutation, corridor_id, rate }));
}

/** Returns a printable name for the operation id: `corridor:USD-INR`. */
function stepName(step: Step): string {
  const pair = step.pair.replace("→", "-");
  return step.kind === "opening" ? `${step.kind}:${pair}:${step.merchant}` : `${step.kind}:${pair}`;
}

const fileArgument = (of: string) => ({ name: "file", about: `${of}, in YAML or JSON` });
const yes = { name: "yes", value: "", about: "apply without asking" };
const renew = {
  name: "renew",
  value: "",
  about: "also set rates that are already in force, which restarts their age",
};

const corridorFile = `Corridors and fields that the file omits stay unchanged:

  corridors:
    - from: USD
      to: INR
      active: true
      fee_share: "0.005"
      fee_flat: "0.30"
      limits: { source_min: "1.00", source_max: "100000.00" }
      quote_ttl_seconds: 300
      rate_max_age_seconds: 3600
      return_charges: platform
      open_to: [mer_01k…]
      closed_to: [mer_01j…]`;

const rateFile = `A rate is the number of destination units for one source unit, with at most 10 decimals:

  source: treasury
  rates:
    - { from: USD, to: INR, rate: "83.1234567891" }`;

export const planCommands: readonly OwnCommand[] = [
  {
    name: "corridors plan",
    summary: "show the changes that a file of corridors would make",
    details: corridorFile,
    examples: ["corridors plan corridors.yaml", "corridors plan corridors.yaml --json"],
    arguments: [fileArgument("the corridors")],
    run: async (invocation) => showPlan(invocation, await corridorsPlan(invocation)),
  },
  {
    name: "corridors apply",
    summary: "show and apply the changes of a file of corridors",
    details: corridorFile,
    examples: ["corridors apply corridors.yaml", "corridors apply corridors.yaml --yes --json"],
    arguments: [fileArgument("the corridors")],
    options: [yes],
    isChange: true,
    run: async (invocation) => applyPlan(invocation, await corridorsPlan(invocation)),
  },
  {
    name: "rates plan",
    summary: "show the changes that a file of rates would make",
    details: rateFile,
    examples: ["rates plan rates.yaml"],
    arguments: [fileArgument("the rates")],
    options: [renew],
    run: async (invocation) => showPlan(invocation, await ratesPlan(invocation)),
  },
  {
    name: "rates apply",
    summary: "show and apply the changes of a file of rates",
    details: rateFile,
    examples: ["rates apply rates.yaml", "rates apply rates.yaml --renew --yes"],
    arguments: [fileArgument("the rates")],
    options: [yes, renew],
    isChange: true,
    run: async (invocation) => applyPlan(invocation, await ratesPlan(invocation)),
  },
];
