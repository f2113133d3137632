import { prettyFactory } from "pino-pretty";

/** A line of a service's log, as far as it is understood here. */
export type LogLine = Readonly<Record<string, unknown>>;

export type ReadableOptions = {
  /** Colours, for a terminal. */
  readonly colors: boolean;
  /** With the day: for lines that may be from any. */
  readonly dated: boolean;
};

/** Told elsewhere in the line: before the fields, or below it. */
const toldApart = new Set(["time", "level", "service", "msg", "request_id", "err"]);

/** Needs no quotes to be told from what follows it. */
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
    .filter(([name]) => !toldApart.has(name))
    .map(([name, value]) => `${printable(name)}=${readable(value)}`);
  return [...from, ...event, ...id, ...fields].join(" ");
}

/** Text without what could move a terminal's cursor: lines may come from anywhere. */
function printable(text: string): string {
  return plainText.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/**
 * How people read log lines: local time, level, service, event, request and fields on one line, an
 * error with its stack below. Each ends with a line end.
 */
export function readableLines({ colors, dated }: ReadableOptions): (line: LogLine) => string {
  return prettyFactory({
    colorize: colors,
    translateTime: dated ? "SYS:yyyy-mm-dd HH:MM:ss.l" : "SYS:HH:MM:ss.l",
    include: "time,level,err",
    messageFormat: message,
    errorLikeObjectKeys: ["err"],
  });
}
