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

/** Returns the fields whose values differ between two records. */
export function differenceOf(before: JsonObject, after: JsonObject) {
  const [old, now] = [new Map(flatOf(before)), new Map(flatOf(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((title) => ({ title, before: old.get(title) ?? "", after: now.get(title) ?? "" }))
    .filter((each) => each.before !== each.after);
}
