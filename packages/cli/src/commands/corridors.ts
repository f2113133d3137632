import type { JsonObject } from "@bufbuild/protobuf";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { CommandError, failureOf } from "../output/failure.ts";
import { plainOf } from "../output/plain.ts";
import { merchantsOf, planCorridors, readCorridors } from "../plan/corridors.ts";
import { readText } from "../plan/file.ts";
import { planRates, readRates } from "../plan/rates.ts";
import { type Corridor, type Pair, pairOf, type Step, stepJson, stepText } from "../plan/step.ts";
import type { CallCommand, Command, OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";
import { messageOf } from "../table/request.ts";

const quote = QuoteService.method;
/** The most that one page has. */
const pageMax = 100;

type Corridors = ReadonlyMap<Pair, Corridor>;

/** Every corridor, or those that are open to a merchant. */
async function listCorridors({ calls }: Invocation, merchantId = ""): Promise<Corridors> {
  const method = quote.listCorridors;
  const found = new Map<Pair, Corridor>();
  let cursor = "";
  do {
    const asked = { merchant_id: merchantId, limit: pageMax, cursor };
    const answer = await calls.call(method, messageOf(method, asked));
    const page = plainOf(method.output, answer) as { corridors?: unknown; next_cursor?: string };
    for (const each of (page.corridors ?? []) as Corridor[]) {
      found.set(pairOf(each.source_currency_code, each.destination_currency_code), each);
    }
    cursor = page.next_cursor ?? "";
  } while (cursor !== "");
  return found;
}

/** A plan, and the corridors that it was made from. */
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

const nothing = "nothing to do: everything is as the file says\n";

/** Writes a plan. */
function showPlan(invocation: Invocation, { steps }: Plan): void {
  const json = { changes: steps.map(stepJson) };
  invocation.show(json, () =>
    steps.length === 0 ? nothing : `${steps.map(stepText).join("\n")}\n`,
  );
}

/** Shows a plan, asks, and does what it says, step by step. */
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

/** Says what of a plan was done before it failed: applying the file again does the rest. */
function partly(error: unknown, done: number, all: number): unknown {
  const { exit, code, message } = failureOf(error);
  const why = `${message}; ${done} of ${all} changes were applied`;
  return new CommandError(why, { exit, code, cause: error });
}

/** One change; a repeat of the command under its operation id makes it once. */
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

/** Printable, as an operation id has to be: `corridor:USD-INR`. */
function stepName(step: Step): string {
  const pair = step.pair.replace("→", "-");
  return step.kind === "opening" ? `${step.kind}:${pair}:${step.merchant}` : `${step.kind}:${pair}`;
}

const terms = ["fee_share", "fee_flat", "limits.source_min", "limits.source_max"];
const pair = [
  ["source_currency_code", "from"] as const,
  ["destination_currency_code", "to"] as const,
];
const rateColumns = [["rate.rate", "rate"] as const, ["rate.as_of", "as of"] as const];

const merchantOption = {
  name: "merchant",
  field: "merchant_id",
  about: "those that are open to this merchant",
};
const fileArgument = (of: string) => ({ name: "file", about: `${of}, in YAML or JSON` });
const yes = { name: "yes", value: "", about: "apply without asking" };
const renew = {
  name: "renew",
  value: "",
  about: "set rates that are in force already too, so that their age begins anew",
};

const corridorFile = `A corridor that the file does not name stays as it is, and so does a field that is left out:

  corridors:
    - from: USD
      to: INR
      active: true
      fee_share: "0.005"
      fee_flat: "0.30"
      limits: { source_min: "1.00", source_max: "100000.00" }
      quote_ttl_seconds: 300
      rate_max_age_seconds: 3600
      return_charges: house
      open_to: [mer_01k…]
      closed_to: [mer_01j…]`;

const rateFile = `A rate is destination units for one source unit, at most 10 decimals:

  source: treasury
  rates:
    - { from: USD, to: INR, rate: "83.1234567891" }`;

const lists: readonly CallCommand[] = [
  {
    name: "corridors list",
    summary: "every corridor with its fees and limits",
    examples: ["corridors list", "corridors list --merchant mer_01k…"],
    method: quote.listCorridors,
    options: [merchantOption],
    show: { list: "corridors", columns: ["id", ...pair, "active", ...terms, ...rateColumns] },
  },
  {
    name: "rates list",
    summary: "the rate in force of every corridor",
    examples: ["rates list --all"],
    method: quote.listCorridors,
    options: [merchantOption],
    show: {
      list: "corridors",
      columns: [...pair, ...rateColumns, ["rate.source", "source"], "rate_max_age_seconds"],
    },
  },
];

const plans: readonly OwnCommand[] = [
  {
    name: "corridors plan",
    summary: "what would change so that corridors are as a file says",
    details: corridorFile,
    examples: ["corridors plan corridors.yaml", "corridors plan corridors.yaml --json"],
    arguments: [fileArgument("the corridors")],
    run: async (invocation) => showPlan(invocation, await corridorsPlan(invocation)),
  },
  {
    name: "corridors apply",
    summary: "make corridors as a file says, after showing what changes",
    details: corridorFile,
    examples: ["corridors apply corridors.yaml", "corridors apply corridors.yaml --yes --json"],
    arguments: [fileArgument("the corridors")],
    options: [yes],
    isChange: true,
    run: async (invocation) => applyPlan(invocation, await corridorsPlan(invocation)),
  },
  {
    name: "rates plan",
    summary: "what would change so that rates are as a file says",
    details: rateFile,
    examples: ["rates plan rates.yaml"],
    arguments: [fileArgument("the rates")],
    options: [renew],
    run: async (invocation) => showPlan(invocation, await ratesPlan(invocation)),
  },
  {
    name: "rates apply",
    summary: "set the rates of a file, after showing what changes",
    details: rateFile,
    examples: ["rates apply rates.yaml", "rates apply rates.yaml --renew --yes"],
    arguments: [fileArgument("the rates")],
    options: [yes, renew],
    isChange: true,
    run: async (invocation) => applyPlan(invocation, await ratesPlan(invocation)),
  },
];

/** Corridors and rates: lists, and files with a plan. */
export const corridorCommands: readonly Command[] = [...lists, ...plans];
