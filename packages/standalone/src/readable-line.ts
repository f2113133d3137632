import { prettyFactory } from "pino-pretty";

export type LogLine = Readonly<Record<string, unknown>>;

export type ReadableOptions = {
  readonly colors: boolean;
  readonly dated: boolean;
};

/** Fields that are printed before the other fields, or below the line. */
const printedApart = new Set(["time", "level", "service", "msg", "request_id", "err"]);

const plainText = /^[\x21\x23-\x7e]+$/;

function readable(value: unknown): string {
  return typeof value === "string" && plainText.test(value) ? value : JSON.stringify(value);
}

/**
 * Formats everything except time, level and error: `payout: payout advanced [r-1] payout_id=po_1
 * stage=settled`.
 */
function message(line: LogLine): string {
  const { service, msg, request_id: requestId } = line;
  const from = typeof service === "string" ? [`${printable(service)}:`] : [];
  const event = typeof msg === "string" ? [printable(msg)] : [];
  const id = typeof requestId === "string" ? [`[${printable(requestId)}]`] : [];
  const fields = Object.entries(line)
    .filter(([name]) => !printedApart.has(name))
    .map(([name, value]) => `${printable(name)}=${readable(value)}`);
  return [...from, ...event, ...id, ...fields].join(" ");
}

/** Removes terminal control characters, because lines may come from any source. */
function printable(text: string): string {
  return plainText.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Formats log lines for people. Each line is a single line, except for an error's stack. */
export function readableLines({ colors, dated }: ReadableOptions): (line: LogLine) => string {
  return prettyFactory({
    colorize: colors,
    translateTime: dated ? "SYS:yyyy-mm-dd HH:MM:ss.l" : "SYS:HH:MM:ss.l",
    include: "time,level,err",
    messageFormat: message,
    errorLikeObjectKeys: ["err"],
  });
}

/**
 * Parses the JSON object of a line. Skips a container name that `docker compose logs` puts in
 * front.
 */
function jsonOf(text: string): LogLine | undefined {
  const from = text.indexOf("{");
  if (from < 0) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // The line is from another program, or was truncated when its process was killed.
    return undefined;
  }
}

/** The fields by which lines are found. */
const idFields = ["request_id", "payout_id", "record_id", "transaction_id"] as const;

/**
 * Returns the lines of one request or record, from all services, in time order. Omits lines without
 * a time.
 */
export async function linesOf(
  lines: AsyncIterable<string>,
  id: string,
): Promise<readonly LogLine[]> {
  const found: { readonly line: LogLine; readonly at: number }[] = [];
  for await (const text of lines) {
    // Most lines contain other ids, so they need not be parsed.
    if (!text.includes(id)) continue;
    const line = jsonOf(text);
    const at = Date.parse(String(line?.time));
    if (line === undefined || Number.isNaN(at)) continue;
    if (idFields.some((field) => line[field] === id)) found.push({ line, at });
  }
  return found.sort((one, other) => one.at - other.at).map(({ line }) => line);
}
