import { prettyFactory } from "pino-pretty";

/** A line of a service's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How lines are formatted. */
export type ReadableOptions = {
  /** Colours, for a terminal. */
  readonly colors: boolean;
  /** With the date. */
  readonly dated: boolean;
};

/** Printed before the fields, or below the line. */
const printedApart = new Set(["time", "level", "service", "msg", "request_id", "err"]);

/** Unambiguous without quotes. */
const plainText = /^[\x21\x23-\x7e]+$/;

function readable(value: unknown): string {
  return typeof value === "string" && plainText.test(value) ? value : JSON.stringify(value);
}

/** `payout: payout advanced [r-1] payout_id=po_1 stage=settled`: all but time, level and error. */
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

/** Text without control characters of terminals: lines may come from anywhere. */
function printable(text: string): string {
  return plainText.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Formats log lines for people: all on one line but an error, whose stack is below. */
export function readableLines({ colors, dated }: ReadableOptions): (line: LogLine) => string {
  return prettyFactory({
    colorize: colors,
    translateTime: dated ? "SYS:yyyy-mm-dd HH:MM:ss.l" : "SYS:HH:MM:ss.l",
    include: "time,level,err",
    messageFormat: message,
    errorLikeObjectKeys: ["err"],
  });
}

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
  const found: { readonly line: LogLine; readonly at: number }[] = [];
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
