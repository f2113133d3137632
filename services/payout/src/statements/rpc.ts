import { create, fromJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceKey } from "@disburse/chassis/identity/keys.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { Turns } from "@disburse/chassis/turns.ts";
import {
  GetPayoutReceiptResponseSchema,
  PayoutReceiptSchema,
  type RenderStatementRequest,
  StatementFormat,
  type StatementService,
} from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { platformMerchantId } from "@disburse/ledger/accounts.ts";
import type { Account } from "@disburse/ledger/rules/account.ts";
import { camt, isForCamt } from "@disburse/statement-formats/camt.ts";
import { csv } from "@disburse/statement-formats/csv.ts";
import { pdfLinesMax, pdfStatement } from "@disburse/statement-formats/pdf.ts";
import type { PartedFormat, StatementLine } from "@disburse/statement-formats/statement.ts";
import { listBookings } from "./bookings.ts";
import { openPeriod, readLines, type StatementStores, statementAccount } from "./period.ts";
import { receiptPdf, signedReceipt } from "./receipt.ts";
import { cursorOf, type Position, readPosition } from "./rules/line.ts";

export type StatementDeps = StatementStores & {
  readonly clock: Clock;
  /** Returns the current signing key of receipts. */
  readonly receiptKey: () => ServiceKey;
  /**
   * Renders one PDF per merchant at a time and limits its share of the thread, which payouts need
   * too.
   */
  readonly renders: Turns;
};

/** The number of lines in one part of a file. A part has about 200 KiB. */
const partMax = 500;

export function statementsRpc(deps: StatementDeps): ServiceImpl<typeof StatementService> {
  return {
    renderStatement: async (request, { signal }) => {
      const { merchantId, accountId, format, cursor } = request;
      if (merchantId === platformMerchantId) orThrow(refused("RECORD_NOT_FOUND"));
      const found = await statementAccount(deps, { merchantId, accountId });
      const account = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const { currency } = account;
      if (format === StatementFormat.CAMT053 && !isForCamt(currency)) {
        const detail = `format: camt.053 has no amounts of ${currency}; take csv or pdf`;
        orThrow(refused("INVALID_REQUEST", detail));
      }
      const { from, to } = timesOf(request, account, deps.clock.now());
      if (cursor !== "") return nextPart(deps, request, currency, orThrow(positionOf(cursor)));
      const opened = await openPeriod(deps, { merchantId, accountId }, { from, to });
      const { period, position } = orThrow(opened ?? refused("RECORD_NOT_FOUND"));
      if (format === StatementFormat.PDF) {
        const render = async () => {
          const lines = await allLines(deps, accountId, position);
          return pdfStatement(period, lines, deps.clock.now());
        };
        return { chunk: await deps.renders.take(merchantId, render, signal), nextCursor: "" };
      }
      const begin = partedFormat(format).begin(period, deps.clock.now());
      return nextPart(deps, request, currency, position, begin);
    },

    listPayoutBookings: async (request) => {
      if (request.merchantId === platformMerchantId) orThrow(refused("RECORD_NOT_FOUND"));
      return listBookings(deps, request, deps.clock.now());
    },

    getPayoutReceipt: async ({ merchantId, payoutId, pdf }, { signal }) => {
      const found = await signedReceipt(
        deps,
        { merchantId, payoutId },
        deps.receiptKey(),
        deps.clock.now(),
      );
      const signed = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      if (pdf) {
        const bytes = await deps.renders.take(merchantId, () => receiptPdf(signed), signal);
        return create(GetPayoutReceiptResponseSchema, { pdf: bytes });
      }
      const { keyId, signature } = signed;
      return { receipt: fromJson(PayoutReceiptSchema, signed.receipt), keyId, signature };
    },
  };
}

/** Returns the start and end of a statement. The defaults are the account's opening and now. */
function timesOf(request: RenderStatementRequest, { createdAt }: Account, now: Date) {
  const wantedTo = request.to === undefined ? now : timestampDate(request.to);
  // A statement never includes the future.
  const to = wantedTo > now ? now : wantedTo;
  const opening = createdAt < to ? createdAt : to;
  const from = request.from === undefined ? opening : timestampDate(request.from);
  if (to < from) orThrow(refused("INVALID_REQUEST", "to: must be after from"));
  return { from, to };
}

function positionOf(cursor: string) {
  return (
    readPosition(cursor) ??
    refused("INVALID_REQUEST", "cursor: must be one that a statement returned")
  );
}

/**
 * Renders the lines of one part, after `begin`. The last part also includes the end of the file.
 */
async function nextPart(
  deps: StatementDeps,
  { accountId, format }: RenderStatementRequest,
  currency: string,
  position: Position,
  begin = "",
) {
  const { lines, rest } = await readLines(deps, accountId, position, partMax);
  const file = partedFormat(format);
  const balance = lines.at(-1)?.balance ?? position.balance;
  const closing = rest === undefined ? file.end(position.to, balance, currency) : "";
  const text = begin + file.lines(lines, currency) + closing;
  return { chunk: Buffer.from(text), nextCursor: rest === undefined ? "" : cursorOf(rest) };
}

function partedFormat(format: StatementFormat): PartedFormat {
  return format === StatementFormat.CAMT053 ? camt : csv;
}

async function allLines(
  deps: StatementDeps,
  accountId: string,
  position: Position,
): Promise<readonly StatementLine[]> {
  const { lines, rest } = await readLines(deps, accountId, position, pdfLinesMax);
  if (rest === undefined) return lines;
  const detail = `from: a PDF has at most ${pdfLinesMax} lines; take a shorter period, csv or camt053`;
  return orThrow(refused("INVALID_REQUEST", detail));
}
