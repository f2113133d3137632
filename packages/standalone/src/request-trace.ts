import type { LogLine } from "./readable-line.ts";

type Timed = { readonly line: LogLine; readonly at: number };

/** The JSON object of a line, after the container's name that `docker compose logs` puts there. */
function jsonOf(text: string): LogLine | undefined {
  const from = text.indexOf("{");
  if (from < 0) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // Another program's line, or one cut off by a kill.
    return undefined;
  }
}

/** The fields by whose id a line is found: its request, or the record that it is of. */
const idFields = ["request_id", "payout_id", "record_id", "transaction_id"] as const;

/**
 * The lines of one request or record, of all services, in time order; those without a time are left
 * out.
 */
export async function linesOf(
  lines: AsyncIterable<string>,
  id: string,
): Promise<readonly LogLine[]> {
  const found: Timed[] = [];
  for await (const text of lines) {
    // Most lines have other ids and need not be parsed.
    if (!text.includes(id)) continue;
    const line = jsonOf(text);
    const at = Date.parse(String(line?.time));
    if (line === undefined || Number.isNaN(at)) continue;
    if (idFields.some((field) => line[field] === id)) found.push({ line, at });
  }
  return found.sort((one, other) => one.at - other.at).map(({ line }) => line);
}
