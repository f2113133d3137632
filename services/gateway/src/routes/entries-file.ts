import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { ListEntriesResponse } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type Options, stringify } from "csv-stringify/sync";
import { entryColumns } from "../reference/accounts.ts";
import { entryData } from "./entry-wire.ts";

/** A page of the file has as long as any request; the file as a whole takes what it takes. */
const pageTimeoutMs = 10_000;

/** RFC 4180. A text that a spreadsheet would run as a formula is escaped, a number never is. */
const csv: Options = {
  columns: [...entryColumns],
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: (number) => ({ value: JSON.stringify(number), escape_formulas: false }) },
};

type LoadPage = (cursor: string) => Promise<ListEntriesResponse>;

/**
 * A statement as CSV, page by page, each loaded when the one before was read. The first is loaded
 * before anything is sent, so that what is refused is refused as everywhere.
 */
export async function entriesFile(load: LoadPage): Promise<Readable> {
  const requestId = callContext()?.requestId ?? "";
  const loadInTime: LoadPage = (cursor) =>
    withCallContext({ requestId, deadlineMs: Date.now() + pageTimeoutMs }, () => load(cursor));
  return Readable.from(textOf(await load(""), loadInTime));
}

async function* textOf(first: ListEntriesResponse, load: LoadPage): AsyncGenerator<string> {
  yield stringify(first.entries.map(entryData), { ...csv, header: true });
  let { nextCursor } = first;
  while (nextCursor !== "") {
    const page = await load(nextCursor);
    yield stringify(page.entries.map(entryData), csv);
    ({ nextCursor } = page);
  }
}
