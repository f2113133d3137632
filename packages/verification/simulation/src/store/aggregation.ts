import { evaluate, withFields } from "./expression.ts";
import { matches } from "./filter.ts";
import { byKeys, type Sort, type Table } from "./table.ts";
import { keyText } from "./unique-index.ts";
import { compareValues, copied, type Document } from "./value.ts";

/** The documents that come out of a pipeline; a stage that no store uses is refused. */
export function aggregated(
  table: Table | undefined,
  pipeline: readonly Document[],
  now: Date,
): Document[] {
  let rows = table?.select({}) ?? [];
  for (const stage of pipeline) rows = throughStage(rows, stage, now);
  return rows.map((row) => copied(row) as Document);
}

function throughStage(rows: readonly Document[], stage: Document, now: Date): Document[] {
  const [name = ""] = Object.keys(stage);
  const operand = stage[name] as Document;
  switch (name) {
    case "$documents":
      return operand as unknown as Document[];
    case "$match":
      return rows.filter((row) => matches(row, operand, now));
    case "$set":
      return rows.map((row) => withFields(row, operand, { document: row, now }));
    case "$sort":
      return rows.toSorted(byKeys(operand as Sort));
    case "$group":
      return grouped(rows, operand, now);
    default:
      throw new Error(`the stage ${name} is not one that the simulated store knows`);
  }
}

function grouped(rows: readonly Document[], { _id, ...fields }: Document, now: Date): Document[] {
  const groups = Map.groupBy(rows, (document) => keyText(evaluate(_id, { document, now })));
  return [...groups.values()].map((members) => {
    const [first = {}] = members;
    const group: Document = { _id: evaluate(_id, { document: first, now }) };
    for (const [field, accumulator] of Object.entries(fields)) {
      const [[operator, operand] = []] = Object.entries(accumulator as Document);
      const values = members.map((document) => evaluate(operand, { document, now }));
      group[field] = accumulated(operator, values);
    }
    return group;
  });
}

function accumulated(operator: string | undefined, values: readonly unknown[]): unknown {
  switch (operator) {
    case "$first":
      return values[0];
    case "$max":
      return values.reduce((most, each) => (compareValues(each, most) > 0 ? each : most));
    default:
      throw new Error(`the accumulator ${operator} is not one that the simulated store knows`);
  }
}
