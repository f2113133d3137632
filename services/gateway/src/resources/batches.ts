import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import {
  ApproveBatchRequestSchema,
  BatchLineState,
  BatchState,
  CreateBatchRequestSchema,
  ListBatchesRequestSchema,
  ListBatchesResponseSchema,
  ListBatchLinesRequestSchema,
  type ListBatchLinesResponse,
  ListBatchLinesResponseSchema,
  RejectBatchRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { rejectBatch } from "@disburse/forms/bodies/approval.ts";
import {
  approveBatch,
  batchColumns,
  batchLineKeysMax,
  batchLinesMax,
  createBatch,
} from "@disburse/forms/bodies/transfer.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { type Options, stringify } from "csv-stringify/sync";
import { exampleOfSchema } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, type FileFormat, get, post, type Resource } from "../openapi/route.ts";
import { approval, batch, line } from "./parts/batches.ts";

const batchPage = f.pageOf(ListBatchesResponseSchema, "BatchPage", "batches", batch);
const linePage = f.pageOf(ListBatchLinesResponseSchema, "BatchLinePage", "lines", line);

/** CSV columns of a report. They are the fields of its lines. */
const reportColumns = Object.keys(line.schema.properties as object);

const reportCsv: FileFormat = {
  mediaType: "text/csv",
  name: "batch.csv",
  description: "A header row, then one row for each line of the batch (RFC 4180).",
  example: `${reportColumns.join(",")}\r\n`,
};

const components: ReadonlyMap<string, JsonSchema> = new Map([[approval.name, approval.schema]]);

const reportJson: FileFormat = {
  mediaType: "application/json",
  name: "batch.json",
  description: "The batch with all its lines.",
  example: {
    batch: exampleOfSchema(batch.schema, components),
    lines: [exampleOfSchema(line.schema, components)],
  },
  schema: {
    type: "object",
    properties: {
      batch: f.schemaRef(batch),
      lines: { type: "array", items: f.schemaRef(line) },
    },
    required: ["batch", "lines"],
  },
};

/**
 * The CSV format follows RFC 4180. Texts that a spreadsheet would run as a formula are escaped.
 * Numbers are not.
 */
const csv: Options = {
  columns: reportColumns,
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: (number) => ({ value: JSON.stringify(number), escape_formulas: false }) },
};

/** Page length of a report. The pages load one after another while the report is sent. */
const reportPage = 500;
/** Deadline for each page. The whole file has no deadline. */
const pageTimeoutMs = 10_000;

type LoadPage = (cursor: string) => Promise<ListBatchLinesResponse>;

/** Loads the first page before the response starts, so that a refusal gets its usual status. */
async function pagesOf(load: LoadPage): Promise<AsyncGenerator<ListBatchLinesResponse>> {
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

async function csvReport(load: LoadPage): Promise<Readable> {
  const pages = await pagesOf(load);
  async function* rows() {
    let header = true;
    for await (const { lines } of pages) {
      yield stringify(lines.map(line.write), { ...csv, header });
      header = false;
    }
  }
  return Readable.from(rows());
}

async function jsonReport(whole: unknown, load: LoadPage): Promise<Readable> {
  const pages = await pagesOf(load);
  async function* parts() {
    let prefix = `{"batch":${JSON.stringify(whole)},"lines":[`;
    for await (const { lines } of pages) {
      if (lines.length === 0) continue;
      yield prefix + lines.map((each) => JSON.stringify(line.write(each))).join(",");
      prefix = ",";
    }
    yield prefix === "," ? "]}" : `${prefix}]}`;
  }
  return Readable.from(parts());
}

const path = "/api/v1/transfer/batches";
const mebibyte = 1024 * 1024;

export const batches: Resource = {
  scope: "payout",
  tag: "Batches",
  components: [approval, batch, batchPage, line, linePage],
  routes: [
    post("createBatch", path, {
      summary: "Create batch",
      description:
        "Creates a batch of up to 10,000 payouts from one account, as JSON or as a CSV file of at most 8 MiB. A CSV file has `Content-Type: text/csv` and a header row with the field names of a line; `metadata.order` is the key `order` of its metadata. Every line is checked. Errors name the line and field; `lines[0]` is the first line, the row after the header. No money is held or paid before you approve the batch.\n\nEach `Idempotency-Key` creates one batch. The same lines under another key are another batch, such as next month's payroll.",
      body: {
        form: createBatch,
        large: {
          bytesMax: 8 * mebibyte,
          keysMax: batchLinesMax * batchLineKeysMax + 2,
          csv: {
            lines: "lines",
            columns: batchColumns,
            flags: ["allow_duplicate"],
            pairs: "metadata",
          },
          csvExample: `${batchColumns.join(",")}\r\n`,
        },
      },
      data: batch,
      refusals: ["INVALID_REQUEST"],
      answer: async (call, { orders }) =>
        (await orders.createBatch(bodyRequest(call, CreateBatchRequestSchema))).batch,
    }),
    post("approveBatch", `${path}/:batchId/approve`, {
      summary: "Approve batch",
      description:
        "Approves a batch. Its payouts are then created in the order of its lines. Each line is quoted and executed at once; a refusal fails only that line, with the refusal's code. A line that would bring the cost of the batch above `max_total_amount` fails with `BATCH_TOTAL_EXCEEDED`. `NOT_AWAITING_APPROVAL`: it was decided or cancelled before.\n\nThe API key needs the scope `payout:approve`. If your rules require it, the key may not be the creator of the batch. If another actor has approved the batch, its payouts need no further approval. If its creator has approved it, your approval rules apply to each payout.",
      body: { form: approveBatch },
      data: batch,
      scope: "payout:approve",
      refusals: [
        "INVALID_REQUEST",
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "STATE_NOT_REACHABLE",
        "ACCESS_FORBIDDEN",
      ],
      answer: async (call, { orders }) =>
        (await orders.approveBatch(bodyRequest(call, ApproveBatchRequestSchema))).batch,
    }),
    post("rejectBatch", `${path}/:batchId/reject`, {
      summary: "Reject batch",
      description:
        "Rejects a batch that awaits approval: it is `cancelled` with all its lines. The rules for scope and caller are those of Approve batch.",
      body: { form: rejectBatch },
      data: batch,
      scope: "payout:approve",
      refusals: [
        "INVALID_REQUEST",
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "ACCESS_FORBIDDEN",
      ],
      answer: async (call, { orders }) =>
        (await orders.rejectBatch(bodyRequest(call, RejectBatchRequestSchema))).batch,
    }),
    post("cancelBatch", `${path}/:batchId/cancel`, {
      summary: "Cancel batch",
      description:
        "Cancels a batch that is not approved. If the batch is running, cancels only the lines that have not started. Existing payouts continue; you can cancel each of them separately. `NOT_CANCELLABLE`: the batch is finished.",
      data: batch,
      refusals: ["RECORD_NOT_FOUND", "NOT_CANCELLABLE"],
      answer: async ({ change }, { orders }) => (await orders.cancelBatch(change)).batch,
    }),
    get("listBatches", path, {
      summary: "List batches",
      description: "Newest first.",
      query: q.queryOf(ListBatchesRequestSchema, {
        ...q.page,
        state: q.word(BatchState, "Only batches in this state."),
      }),
      data: batchPage,
      answer: ({ request }, { orders }) => orders.listBatches(request),
    }),
    get("getBatch", `${path}/:batchId`, {
      summary: "Get batch",
      description: "One batch with its progress.",
      data: batch,
      answer: async ({ request }, { orders }) => (await orders.getBatch(request)).batch,
    }),
    get("listBatchLines", `${path}/:batchId/lines`, {
      summary: "List lines",
      description: "The lines of a batch in their order, each with its outcome.",
      query: q.queryOf(ListBatchLinesRequestSchema, {
        ...q.page,
        state: q.word(BatchLineState, "Only lines in this state."),
      }),
      data: linePage,
      answer: ({ request }, { orders }) => orders.listBatchLines(request),
    }),
    get("exportBatchReport", `${path}/:batchId/report.csv`, {
      summary: "Report (CSV)",
      description:
        "All lines of a batch as a file: one column for each field of List lines, with exact amounts. It shows each line as it was at the time of the download. Use the file only if the response ended normally. A text that a spreadsheet would run as a formula is prefixed with `'`.",
      data: reportCsv,
      answer: ({ request }, { orders }) =>
        csvReport((cursor) => orders.listBatchLines({ ...request, limit: reportPage, cursor })),
    }),
    get("exportBatchReportJson", `${path}/:batchId/report.json`, {
      summary: "Report (JSON)",
      description: "The same report as JSON, together with the batch.",
      data: reportJson,
      answer: async ({ request }, { orders }) => {
        const { batch: found } = await orders.getBatch(request);
        const load: LoadPage = (cursor) =>
          orders.listBatchLines({ ...request, limit: reportPage, cursor });
        return jsonReport(found && batch.write(found), load);
      },
    }),
  ],
};
