import type { JsonObject } from "@bufbuild/protobuf";

/** A currency pair such as `USD→INR`. Each pair has at most one corridor. */
export type Pair = `${string}→${string}`;

export function pairOf(from: string, to: string): Pair {
  return `${from}→${to}`;
}

/** A corridor in the form of `ListCorridors`. */
export type Corridor = {
  readonly id: string;
  readonly source_currency_code: string;
  readonly destination_currency_code: string;
  readonly active: boolean;
  readonly fee_share: string;
  readonly fee_flat: string;
  readonly limits?: Readonly<Record<string, string>>;
  readonly quote_ttl_seconds: number;
  readonly rate_max_age_seconds: number;
  readonly return_charges: string;
  readonly rate?: { readonly rate: string; readonly as_of: string; readonly source: string };
};

/** A changed field; "" stands for no value. */
export type Difference = {
  readonly field: string;
  readonly before: string | number | boolean;
  readonly after: string | number | boolean;
};

/** One change of a plan. Each change needs one call. */
export type Step =
  | {
      readonly kind: "corridor";
      readonly pair: Pair;
      readonly isNew: boolean;
      readonly changes: readonly Difference[];
      readonly corridor: JsonObject;
    }
  | {
      readonly kind: "opening";
      readonly pair: Pair;
      readonly merchant: string;
      readonly open: boolean;
    }
  | {
      readonly kind: "rate";
      readonly pair: Pair;
      readonly before: string;
      readonly rate: { readonly rate: string; readonly source: string; readonly as_of?: string };
    };

/** Compares two amounts as decimals: leading and trailing zeros don't matter. */
export function isSameAmount(one: string, other: string): boolean {
  return shortest(one) === shortest(other);
}

function shortest(text: string): string {
  const [, whole, fraction = ""] = /^0*(\d*)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  return whole === undefined || text === "" ? text : `${whole || "0"}.${fraction}`;
}

export function stepJson(step: Step): JsonObject {
  switch (step.kind) {
    case "corridor": {
      const { pair, isNew, changes } = step;
      const action = isNew ? "create_corridor" : "change_corridor";
      return { action, pair, changes: changes.map((each) => ({ ...each })) };
    }
    case "opening": {
      const { pair, merchant, open } = step;
      return { action: open ? "open" : "close", pair, merchant_id: merchant };
    }
    case "rate":
      return { action: "set_rate", pair: step.pair, before: step.before, after: step.rate.rate };
  }
}

export function stepText(step: Step): string {
  switch (step.kind) {
    case "corridor": {
      const { pair, isNew, changes } = step;
      const lines = changes.map(({ field, before, after }) =>
        isNew ? `    ${field}: ${after}` : `    ${field}: ${shown(before)} -> ${shown(after)}`,
      );
      return [`${isNew ? "+ create" : "~ change"} ${pair}`, ...lines].join("\n");
    }
    case "opening":
      return `${step.open ? "+ open" : "- close"} ${step.pair} to ${step.merchant}`;
    case "rate":
      return `~ rate ${step.pair}: ${shown(step.before)} -> ${step.rate.rate} (${step.rate.source})`;
  }
}

const shown = (value: string | number | boolean) => (value === "" ? "none" : String(value));
