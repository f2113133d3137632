import { aggregated } from "./aggregation.ts";
import { sliced } from "./expression.ts";
import { matches, matchesField } from "./filter.ts";
import { compareValues, copied, type Document, isDocument, isEqual } from "./value.ts";

/**
 * Returns a copy of the document after an update. `$setOnInsert` applies only if an upsert creates
 * the document.
 */
export function updated(
  before: Document,
  update: Document | readonly Document[],
  now: Date,
  isInsert = false,
): Document {
  if (Array.isArray(update)) {
    const [after = {}] = aggregated([before], update, now);
    return after;
  }
  const after = copied(before) as Document;
  for (const [operator, fields] of Object.entries(update as Document)) {
    if (fields === undefined) continue;
    const apply = operators[operator];
    if (apply === undefined) {
      throw new Error(`the simulated store does not support the update operator ${operator}`);
    }
    if (operator === "$setOnInsert" && !isInsert) continue;
    for (const [path, operand] of Object.entries(fields as Document)) {
      if (operand !== undefined) apply(...placeOf(after, path), copied(operand), now);
    }
  }
  return after;
}

/** Returns the parent and the key at a path. Creates missing documents on the way. */
function placeOf(document: Document, path: string): readonly [holder: Document, key: string] {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let holder = document;
  for (const key of keys) {
    if (key.startsWith("$"))
      throw new Error(`the simulated store does not support the positional operator ${key}`);
    holder[key] ??= {};
    const next = holder[key];
    if (!isDocument(next) && !Array.isArray(next))
      throw new Error(`cannot create a field in ${key}: it is not a document or an array`);
    holder = next as Document;
  }
  return [holder, last];
}

type Apply = (holder: Document, key: string, operand: unknown, now: Date) => void;

const set: Apply = (holder, key, operand) => {
  holder[key] = operand;
};

const operators: Readonly<Record<string, Apply>> = {
  $set: set,
  $setOnInsert: set,
  $currentDate: (holder, key, operand, now) => {
    if (operand !== true)
      throw new Error("the simulated store supports $currentDate only with the value true");
    holder[key] = now;
  },
  $unset: (holder, key) => {
    if (Array.isArray(holder)) holder[Number(key)] = null;
    else delete holder[key];
  },
  $inc: (holder, key, operand) => {
    const before = holder[key] ?? 0;
    if (typeof before !== "number" || typeof operand !== "number") {
      throw new Error("the simulated store supports $inc only for numbers, not for decimals");
    }
    holder[key] = before + operand;
  },
  $max: (holder, key, operand) => {
    const before = holder[key];
    if (before === undefined || compareValues(operand, before) > 0) holder[key] = operand;
  },
  $push: (holder, key, operand) => {
    const isMany = isDocument(operand) && "$each" in operand;
    const { $each, $slice, ...others } = isMany ? operand : { $each: [operand] };
    if (Object.keys(others).length > 0)
      throw new Error("the simulated store supports $push only with $each and $slice");
    const list = [...((holder[key] as unknown[] | undefined) ?? []), ...($each as unknown[])];
    holder[key] = $slice === undefined ? list : sliced(list, $slice as number);
  },
  $addToSet: (holder, key, operand) => {
    const isMany = isDocument(operand) && "$each" in operand;
    const list = [...((holder[key] as unknown[] | undefined) ?? [])];
    for (const added of isMany ? (operand.$each as unknown[]) : [operand]) {
      if (!list.some((each) => isEqual(each, added))) list.push(added);
    }
    holder[key] = list;
  },
  $pull: (holder, key, operand) => {
    const list = holder[key] as unknown[] | undefined;
    if (list === undefined) return;
    const isPulled = (each: unknown): boolean => {
      if (!isDocument(operand)) return isEqual(each, operand);
      if (Object.keys(operand)[0]?.startsWith("$")) return matchesField([each], operand);
      return isDocument(each) && matches(each, operand);
    };
    holder[key] = list.filter((each) => !isPulled(each));
  },
};

/** Replaces everything except the `_id`. */
export function replacing(replacement: Document): Document[] {
  return [{ $replaceWith: { $mergeObjects: [{ _id: "$_id" }, { $literal: replacement }] } }];
}
