import { evaluate, withFields } from "./expression.ts";
import { matches, matchesField } from "./filter.ts";
import { compareValues, copied, type Document, isDocument, isEqual } from "./value.ts";

/**
 * The document after an update, whole; the one before stays as it is. `$setOnInsert` counts where
 * an upsert makes the document.
 */
export function updated(
  before: Document,
  update: Document | readonly Document[],
  now: Date,
  isInsert = false,
): Document {
  if (Array.isArray(update)) return throughPipeline(before, update as Document[], now);
  const after = copied(before) as Document;
  for (const [operator, fields] of Object.entries(update as Document)) {
    if (fields === undefined) continue;
    const apply = operators[operator];
    if (apply === undefined) {
      throw new Error(`an update's ${operator} is not one that the simulated store knows`);
    }
    if (operator === "$setOnInsert" && !isInsert) continue;
    for (const [path, operand] of Object.entries(fields as Document)) {
      if (operand !== undefined) apply(placeOf(after, path), copied(operand));
    }
  }
  return after;
}

function throughPipeline(before: Document, stages: readonly Document[], now: Date) {
  let after = copied(before) as Document;
  for (const stage of stages) {
    const scope = { document: after, now };
    const [name] = Object.keys(stage);
    if (name === "$set") after = withFields(after, stage.$set as Document, scope);
    else if (name === "$replaceWith") after = evaluate(stage.$replaceWith, scope) as Document;
    else throw new Error(`an update's ${name} is not one that the simulated store knows`);
  }
  return copied(after) as Document;
}

/** A field of a document, or an element of an array, that an operator works on. */
type Place = { readonly holder: Document | unknown[]; readonly key: string };

function read({ holder, key }: Place): unknown {
  return (holder as Document)[key];
}

function write({ holder, key }: Place, value: unknown): void {
  (holder as Document)[key] = value;
}

/** The place of a path; documents that are not on the way yet are made. */
function placeOf(document: Document, path: string): Place {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let holder: Place["holder"] = document;
  for (const key of keys) {
    if (key.startsWith("$"))
      throw new Error(`the position ${key} is not known to the simulated store`);
    const place = { holder, key };
    if (read(place) === undefined) write(place, {});
    const next = read(place);
    if (!isDocument(next) && !Array.isArray(next))
      throw new Error(`cannot create a field in ${key}`);
    holder = next;
  }
  return { holder, key: last };
}

type Apply = (place: Place, operand: unknown) => void;

const operators: Readonly<Record<string, Apply>> = {
  $set: write,
  $setOnInsert: write,
  $unset: ({ holder, key }) => {
    if (Array.isArray(holder)) holder[Number(key)] = null;
    else delete holder[key];
  },
  $inc: (place, operand) => {
    const before = read(place) ?? 0;
    if (typeof before !== "number" || typeof operand !== "number") {
      throw new Error("the simulated store counts numbers up, and no decimals");
    }
    write(place, before + operand);
  },
  $max: (place, operand) => {
    const before = read(place);
    if (before === undefined || compareValues(operand, before) > 0) write(place, operand);
  },
  $push: (place, operand) => {
    const list = [...((read(place) as unknown[] | undefined) ?? [])];
    const isMany = isDocument(operand) && "$each" in operand;
    const { $each, $slice, ...others } = isMany ? operand : { $each: [operand] };
    if (Object.keys(others).length > 0)
      throw new Error("a $push that the simulated store does not know");
    list.push(...($each as unknown[]));
    write(place, $slice === undefined ? list : sliced(list, $slice as number));
  },
  $pull: (place, operand) => {
    const list = read(place) as unknown[] | undefined;
    if (list === undefined) return;
    const isPulled = (each: unknown): boolean => {
      if (!isDocument(operand)) return isEqual(each, operand);
      if (Object.keys(operand)[0]?.startsWith("$")) return matchesField([each], operand);
      return isDocument(each) && matches(each, operand);
    };
    write(
      place,
      list.filter((each) => !isPulled(each)),
    );
  },
};

function sliced(list: readonly unknown[], slice: number): unknown[] {
  if (slice === 0) return [];
  return slice < 0 ? list.slice(slice) : list.slice(0, slice);
}
