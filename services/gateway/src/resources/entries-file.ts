import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { ListEntriesResponse } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type Options, stringify } from "csv-stringify/sync";
import type { Component } from "../openapi/fields.ts";

/** A page of the file has as long as any request; the file as a whole takes what it takes. */
const pageTimeoutMs = 10_000;

/** RFC 4180. A text that a spreadsheet would run as a formula is escaped, a number never is. */
const csv: Options = {
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: (number) => ({ value: JSON.stringify(number), escape_formulas: false }) },
};

type Entry = ListEntriesResponse["entries"][number];
type LoadPage = (cursor: string) => Promise<ListEntriesResponse>;

/**
 * A statement as CSV, page by page, each loaded when the one before was read. The first is loaded
 * before anything is sent, so that what is refused is refused as everywhere.
 */
export async function entriesFile(
  columns: readonly string[],
  { write }: Component<Entry>,
  load: LoadPage,
): Promise<Readable> {
  const requestId = callContext()?.requestId ?? "";
  const loadInTime: LoadPage = (cursor) =>
    withCallContext({ requestId, deadlineMs: Date.now() + pageTimeoutMs }, () => load(cursor));
  const linesOf = ({ entries }: ListEntriesResponse, header: boolean) =>
    stringify(entries.map(write), { ...csv, columns: [...columns], header });
  return Readable.from(pages(await load(""), loadInTime, linesOf));
}

async function* pages(
  first: ListEntriesResponse,
  load: LoadPage,
  linesOf: (page: ListEntriesResponse, header: boolean) => string,
): AsyncGenerator<string> {
  yield linesOf(first, true);
  for (let { nextCursor } = first; nextCursor !== ""; ) {
    const page = await load(nextCursor);
    yield linesOf(page, false);
    ({ nextCursor } = page);
  }
}
