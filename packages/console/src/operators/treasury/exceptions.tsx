import {
  ExceptionKind,
  type PayoutException,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { isoOf } from "../../api/rpc.ts";
import { readAllPages, rpcPagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { PagedTable } from "../../ui/list.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { spanText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";
import { readExceptions } from "./resolution.tsx";

const words = operatorTexts.treasury.exceptions;

const ownColumns: readonly Column<PayoutException>[] = [
  {
    id: "age",
    header: words.age,
    cell: ({ since }) => (
      <time dateTime={isoOf(since)}>
        {spanText((Date.now() - Date.parse(isoOf(since))) / 1_000)}
      </time>
    ),
    csv: ({ since }) => isoOf(since),
  },
  {
    id: "payout",
    header: t.payouts.one.title,
    cell: ({ payout }) => (
      <Link
        to="/treasury/payouts/$payoutId"
        params={{ payoutId: payout?.id ?? "" }}
        className="mono break"
      >
        {payout?.id}
      </Link>
    ),
    csv: ({ payout }) => payout?.id ?? "",
  },
  {
    id: "kind",
    header: words.kind,
    cell: ({ kind }) => words.kinds[enumName(ExceptionKind, kind)] ?? "",
    csv: ({ kind }) => enumName(ExceptionKind, kind),
  },
  {
    id: "amount",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: ({ payout }) => (
      <Money amount={payout?.sourceAmount ?? ""} currency={payout?.sourceCurrencyCode ?? ""} />
    ),
    csv: ({ payout }) => payout?.sourceAmount ?? "",
  },
  textColumn("beneficiary", t.payouts.beneficiary, ({ payout }) => payout?.beneficiaryName ?? ""),
  textColumn(
    "reference",
    operatorTexts.treasury.payouts.merchantReference,
    ({ payout }) => payout?.referenceId ?? "",
    {
      width: "wide",
    },
  ),
  textColumn("rail", operatorTexts.treasury.payouts.rail, ({ rail }) => rail, { width: "wide" }),
  {
    id: "resolution",
    header: words.resolution,
    cell: ({ proposalId }) =>
      proposalId === "" ? (
        "–"
      ) : (
        <Link to="/approvals/$place/$proposalId" params={{ place: "payout", proposalId }}>
          <Badge tone="warn">{words.proposed}</Badge>
        </Link>
      ),
    csv: ({ proposalId }) => proposalId,
  },
];

const merchantColumn = {
  before: "beneficiary",
  idOf: ({ payout }: PayoutException) => payout?.merchantId ?? "",
};

export function Exceptions() {
  const columns = useMerchantColumn(ownColumns, merchantColumn);
  const found = useInfiniteQuery(rpcPagesOf(["exceptions"], readExceptions));
  return (
    <Page
      title={words.title}
      actions={
        <ExportButton
          name="exceptions"
          read={() => readAllPages(readExceptions)}
          columns={columns}
        />
      }
    >
      <PagedTable
        caption={words.caption}
        columns={columns}
        keyOf={({ payout }) => payout?.id ?? ""}
        empty={words.empty}
        found={found}
      />
    </Page>
  );
}
