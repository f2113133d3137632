import { Readable } from "node:stream";
import { toJson } from "@bufbuild/protobuf";
import {
  ApproveBatchRequestSchema,
  type BatchLine,
  BatchLineState,
  BatchState,
  BatchTermsSchema,
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
  batchAmounts,
  batchColumns,
  batchLineKeysMax,
  batchLinesMax,
  batchNotes,
  createBatch,
} from "@disburse/forms/bodies/transfer.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { invalidRequest, isRefused } from "@disburse/kernel/refusal.ts";
import { type Options, stringify } from "csv-stringify/sync";
import { exampleOfSchema } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import {
  bodyRequest,
  type Call,
  type FileFormat,
  get,
  type LargeBody,
  post,
  type Resource,
} from "../openapi/route.ts";
import { decimalSeparator } from "../openapi/rules/sheet.ts";
import { approval, batch, line, validation } from "./parts/batches.ts";
import { csvFile, type LoadPage, pagesOf } from "./parts/csv-file.ts";

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

/** Spreadsheets read a file as UTF-8 only if it begins with this mark. Uploads may contain it. */
const byteOrderMark = "\uFEFF";
const template = `${byteOrderMark}${batchColumns.join(",")}\r\n`;

const templateCsv: FileFormat = {
  mediaType: "text/csv",
  name: "batch-template.csv",
  description: "A header row (RFC 4180).",
  example: template,
};

const failedColumns = [...batchColumns, ...batchNotes];

const failedCsv: FileFormat = {
  mediaType: "text/csv",
  name: "failed-lines.csv",
  description: "A header row, then one row for each failed line (RFC 4180).",
  example: `${byteOrderMark}${failedColumns.join(",")}\r\n`,
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

/** The format of lines to upload again. An upload removes the escapes of its formulas. */
const sentCsv: Options = { record_delimiter: "windows", escape_formulas: true };

/** Page length of a report. The pages load one after another while the report is sent. */
const reportPage = 500;
type LoadLines = LoadPage<ListBatchLinesResponse>;

const csvReport = (load: LoadLines) =>
  csvFile({ columns: reportColumns, load, rowsOf: ({ lines }) => lines.map(line.write) });

/** Writes the failed lines as they were sent. A column is added for each key of their metadata. */
async function csvOfFailed(load: LoadLines): Promise<Readable> {
  // The header needs the metadata of all lines, so they are loaded first: at most 10,000.
  const lines: BatchLine[] = [];
  for await (const page of await pagesOf(load)) lines.push(...page.lines);
  const failed = lines.filter(({ correctedByBatchId }) => correctedByBatchId === "");
  const keys = [...new Set(failed.flatMap(({ terms }) => Object.keys(terms?.metadata ?? {})))];
  const rows = failed.map(failedRow);
  const columns = [...batchColumns, ...keys.map((key) => `metadata.${key}`), ...batchNotes];
  return Readable.from([byteOrderMark, stringify(rows, { ...sentCsv, columns, header: true })]);
}

function failedRow({ terms, failureCode, failureMessage }: BatchLine): object {
  if (terms === undefined) throw new Error("a line has no terms");
  const { allowDuplicate, metadata } = terms;
  const pairs = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  return {
    ...(toJson(BatchTermsSchema, terms, { useProtoFieldName: true }) as object),
    ...Object.fromEntries(pairs),
    allow_duplicate: allowDuplicate ? "true" : "",
    failure_code: failureCode,
    failure_message: failureMessage,
  };
}

async function jsonReport(whole: unknown, load: LoadLines): Promise<Readable> {
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
/** Lets a call with 10,000 lines use the whole time of its request. */
const wholeRequest = { timeoutMs: 10_000 };
const mebibyte = 1024 * 1024;

/** Fields of the JSON body that no row of a file can have. */
const ofFile = [
  "reference_id",
  "file_name",
  "corrects_batch_id",
  "queue_if_low_balance",
  "expires_at",
] as const;

const large: LargeBody = {
  bytesMax: 8 * mebibyte,
  keysMax: batchLinesMax * batchLineKeysMax + ofFile.length + 1,
  csv: {
    lines: "lines",
    columns: batchColumns,
    flags: ["allow_duplicate", "queue_if_low_balance"],
    amounts: batchAmounts,
    notes: batchNotes,
    pairs: "metadata",
    parameters: ofFile,
    example: `${batchColumns.join(",")}\r\n`,
  },
};

const forFiles = "Only with a file; JSON has it in the body.";

const fileQuery = {
  reference_id: q.ofBody(q.text(`Your own name for the batch. ${forFiles}`)),
  file_name: q.ofBody(q.text(`The name of the file. ${forFiles}`)),
  corrects_batch_id: q.ofBody(
    q.id("batch", `The batch whose failed lines these lines pay again. ${forFiles}`),
  ),
  queue_if_low_balance: q.ofBody(
    q.choice(["true", "false"], `Lines wait for the account's balance. ${forFiles}`),
  ),
  expires_at: q.ofBody(q.moment(`When waiting lines fail. ${forFiles}`)),
  [decimalSeparator.name]: q.ofBody(
    q.choice(
      decimalSeparator.words,
      "The decimal separator of the file's amounts; `point` by default. Only with a file.",
    ),
  ),
};

/** Builds the request for a batch. Refuses parameters for files with a JSON body. */
function batchRequest(call: Call<string, typeof fileQuery>) {
  const [field] = Object.keys(call.query);
  if (call.sheet === undefined && field !== undefined) {
    const problem = "is a parameter for files: JSON has such fields in its body";
    return invalidRequest([{ field, problem }]);
  }
  const request = bodyRequest(call, CreateBatchRequestSchema);
  return Object.assign(request, { rows: [...(call.sheet?.rows ?? [])] });
}

const fileRules =
  "A file has a header row with the field names of a line, in any order; `metadata.order` is the key `order` of its metadata. Its `Content-Type` is `text/csv` or `application/vnd.ms-excel`, its text UTF-8. Commas, semicolons or tabs separate the cells. Empty rows and columns are ignored.";
const errorRules =
  "One response names all mistakes: `violations` has each field with its line, the row of the file (the header is row 1) and the line's `reference_id`. A value that is wrong in many lines is one violation, with all these lines. `lines[0]` is the first line.";

export const batches: Resource = {
  scope: "payout",
  tag: "Batches",
  components: [approval, batch, batchPage, line, linePage, validation],
  routes: [
    post("createBatch", path, {
      summary: "Create batch",
      description: `Creates a batch of up to 10,000 payouts from one account, as JSON or as a CSV file of at most 8 MiB. ${fileRules}\n\nEvery line is checked. ${errorRules} No money is held or paid before you approve the batch.\n\nWith \`corrects_batch_id\`, the batch pays failed lines of an earlier batch again. Each line needs the \`reference_id\` of a failed line. A line that has not failed, or that another batch pays again, is refused.\n\nEach \`Idempotency-Key\` creates one batch. The same lines under another key are another batch, such as next month's payroll.`,
      body: { form: createBatch, large },
      query: fileQuery,
      data: batch,
      refusals: ["INVALID_REQUEST"],
      answer: async (call, { orders }) => {
        const request = batchRequest(call);
        return isRefused(request)
          ? request
          : (await orders.createBatch(request, wholeRequest)).batch;
      },
    }),
    post("validateBatch", `${path}/validate`, {
      summary: "Validate batch",
      description:
        "Checks a batch without storing or holding anything. It takes the bodies and files of Create batch, and returns the mistakes that Create batch would refuse, and what would fail each line if it were paid at this time: the beneficiary's screening, the corridor and its limits, the fees, your velocity limits and the duplicate guard. Earlier lines count towards limits. It also returns the totals, and tells whether the balance covers them and who has to approve. A later payment can differ: rates, screening and balance may change.",
      body: { form: createBatch, large },
      query: fileQuery,
      data: validation,
      refusals: ["INVALID_REQUEST"],
      isReadOnly: true,
      answer: async (call, { orders }) => {
        const request = batchRequest(call);
        if (isRefused(request)) return request;
        const found = await orders.validateBatch({ batch: request }, wholeRequest);
        return call.scopes.has("account:read") ? found : { ...found, availableAmount: "" };
      },
    }),
    get("getBatchTemplate", `${path}/template.csv`, {
      summary: "Template (CSV)",
      description:
        "A CSV file with the header row of a batch, to fill in with a spreadsheet. Add columns such as `metadata.department` for your own data, and remove optional columns that you don't need.",
      data: templateCsv,
      answer: async () => Readable.from([template]),
    }),
    post("approveBatch", `${path}/:batchId/approve`, {
      summary: "Approve batch",
      description:
        "Approves a batch. `max_total_amount` must be at least the sum of the lines with a source amount (`source_total`). The payouts are then created in the order of the lines. Each line is quoted and executed at once; a refusal fails only that line, with the refusal's code. A line that would bring the cost of the batch above `max_total_amount` fails with `BATCH_TOTAL_EXCEEDED`. `NOT_AWAITING_APPROVAL`: it was decided or cancelled before.\n\nThe API key needs the scope `payout:approve`. If your rules require it, the key may not be the creator of the batch. If another actor has approved the batch, its payouts need no further approval. If its creator has approved it, your approval rules apply to each payout.",
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
        reference_id: q.text("Only batches with this `reference_id`."),
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
    get("exportFailedBatchLines", `${path}/:batchId/failed-lines.csv`, {
      summary: "Failed lines (CSV)",
      description:
        "The lines for which no payout was created, as a file with the columns of the template and the columns `failure_code` and `failure_message`, which an upload ignores. Correct the lines and upload the file with `corrects_batch_id`. A payout that failed after it was created is not in this file: use Reissue payout. Lines that another batch already pays again are left out.",
      data: failedCsv,
      answer: ({ request }, { orders }) =>
        csvOfFailed((cursor) =>
          orders.listBatchLines({
            ...request,
            state: BatchLineState.FAILED,
            limit: reportPage,
            cursor,
          }),
        ),
    }),
    get("exportBatchReportJson", `${path}/:batchId/report.json`, {
      summary: "Report (JSON)",
      description: "The same report as JSON, together with the batch.",
      data: reportJson,
      answer: async ({ request }, { orders, actorNames }) => {
        const response = await orders.getBatch(request);
        await actorNames.add(response);
        const { batch: found } = response;
        const load: LoadLines = (cursor) =>
          orders.listBatchLines({ ...request, limit: reportPage, cursor });
        return jsonReport(found && batch.write(found), load);
      },
    }),
  ],
};
