import { isDeepStrictEqual } from "node:util";
import { Binary, Decimal128 } from "mongodb";

/** Formats a stored value as one snapshot line. Omits the content of binary fields. */
export function textOf(value: unknown, time: (at: Date) => string): string {
  const inner = (each: unknown) => textOf(each, time);
  if (value instanceof Date) return time(value);
  if (value instanceof Binary) return "…";
  if (value instanceof Decimal128 || typeof value !== "object") return String(value);
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  const fields = Object.entries(value).map(([name, each]) => `${name} ${inner(each)}`);
  return `{ ${fields.join(", ")} }`;
}

/**
 * Returns the fields that a write changed, with their new values. If a list became longer, returns
 * only its new items.
 */
export function changesOf(
  before: object | null | undefined,
  after: object | null | undefined,
  time: (at: Date) => string,
): string[] {
  const [old, now] = [before, after].map((each) => new Map(Object.entries(each ?? {})));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].toSorted().flatMap((name) => {
    const [was, is]: unknown[] = [old?.get(name), now?.get(name)];
    if (isDeepStrictEqual(was, is)) return [];
    if (!now?.has(name)) return [`no ${name}`];
    const isLonger =
      Array.isArray(was) && Array.isArray(is) && isDeepStrictEqual(is.slice(0, was.length), was);
    return isLonger
      ? [
          `${name} + ${is
            .slice(was.length)
            .map((each) => textOf(each, time))
            .join(", ")}`,
        ]
      : [`${name} = ${textOf(is, time)}`];
  });
}
