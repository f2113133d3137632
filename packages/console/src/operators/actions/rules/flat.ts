import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { titleOf } from "./form.ts";

/** Returns the values inside a JSON value, each with the names that lead to it, in words. */
export function flatOf(json: JsonValue, path: readonly string[] = []): readonly [string, string][] {
  if (Array.isArray(json) && json.some((each) => typeof each === "object")) {
    return json.flatMap((each, at) => flatOf(each, [...path, String(at + 1)]));
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    return Object.entries(json).flatMap(([name, value]) => flatOf(value, [...path, name]));
  }
  const text = textOf(json);
  return text === "" ? [] : [[titleOf(path.join(", ")), text]];
}

export function textOf(json: JsonValue | undefined): string {
  if (json === undefined || json === null) return "";
  if (typeof json === "boolean") return json ? "yes" : "no";
  if (Array.isArray(json)) return json.map(textOf).join(", ");
  return typeof json === "object" ? JSON.stringify(json) : String(json);
}

/**
 * Compares two records of a proposal. Fields of `before` that `after` doesn't name don't change: they
 * are facts about the record, like those that are equal.
 */
export function differenceOf(before: JsonObject, after: JsonObject) {
  const named = Object.keys(before).filter((name) => name in after);
  const old = new Map(
    flatOf(Object.fromEntries(named.map((name) => [name, before[name] ?? null]))),
  );
  const now = new Map(flatOf(after));
  const all = [...new Set([...old.keys(), ...now.keys()])].map((title) => {
    return { title, before: old.get(title) ?? "", after: now.get(title) ?? "" };
  });
  const others = Object.entries(before).filter(([name]) => !(name in after));
  return {
    changes: all.filter((each) => each.before !== each.after),
    facts: [
      ...all.flatMap(({ title, ...each }) =>
        each.before === each.after ? [[title, each.before] as const] : [],
      ),
      ...flatOf(Object.fromEntries(others)),
    ],
  };
}
