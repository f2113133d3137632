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
