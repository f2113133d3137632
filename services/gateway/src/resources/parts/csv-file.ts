import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { type Options, stringify } from "csv-stringify/sync";

/** Deadline for each page. The whole file has no deadline. */
const pageTimeoutMs = 10_000;

type Page = { readonly nextCursor: string };
export type LoadPage<P extends Page> = (cursor: string) => Promise<P>;

/**
 * Returns the pages of a list. A page loads when the reader has read the previous one. The first
 * page loads before the response starts, so that a refusal gets its usual status.
 */
export async function pagesOf<P extends Page>(load: LoadPage<P>): Promise<AsyncGenerator<P>> {
  const context = { requestId: "", ...callContext() };
  const first = await load("");
  return (async function* () {
    yield first;
    for (let { nextCursor } = first; nextCursor !== ""; ) {
      const deadlineMs = Date.now() + pageTimeoutMs;
      const page = await withCallContext({ ...context, deadlineMs }, () => load(nextCursor));
      yield page;
      ({ nextCursor } = page);
    }
  })();
}

/**
 * The CSV format follows RFC 4180. Texts that a spreadsheet would run as a formula are escaped.
 * Numbers are not.
 */
const format: Options = {
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: (number) => ({ value: JSON.stringify(number), escape_formulas: false }) },
};

/** Streams a list as CSV, at most `rowsMax` rows. One page is in memory at a time. */
export async function csvFile<P extends Page>(file: {
  readonly columns: readonly string[];
  readonly load: LoadPage<P>;
  readonly rowsOf: (page: P) => readonly unknown[];
  readonly rowsMax?: number;
}): Promise<Readable> {
  const { columns, load, rowsOf, rowsMax = Number.POSITIVE_INFINITY } = file;
  const pages = await pagesOf(load);
  async function* texts() {
    let left = rowsMax;
    let header = true;
    for await (const page of pages) {
      const rows = rowsOf(page).slice(0, left);
      yield stringify(rows as unknown[], { ...format, columns: [...columns], header });
      header = false;
      left -= rows.length;
      if (left === 0) return;
    }
  }
  return Readable.from(texts());
}
