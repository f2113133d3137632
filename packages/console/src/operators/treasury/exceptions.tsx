import {
  ExceptionKind,
  type PayoutException,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { isoOf } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ageColumn, textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Money } from "../../ui/money.tsx";
import { TreasuryPayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";
import { readExceptions } from "./resolution.tsx";

const words = operatorTexts.treasury.exceptions;

const ownColumns: readonly Column<PayoutException>[] = [
  ageColumn("age", words.age, ({ since }) => isoOf(since)),
  {
    id: "payout",
    header: t.shell.pages.payout,
    cell: ({ payout }) => (
      <TreasuryPayoutLink id={payout?.id ?? ""}>{payout?.id}</TreasuryPayoutLink>
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

const source = rpcSource(["exceptions"], readExceptions);

export function Exceptions() {
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={() => source}
      columns={useMerchantColumn(ownColumns, merchantColumn)}
      keyOf={({ payout }) => payout?.id ?? ""}
      file={{ name: "exceptions" }}
    />
  );
}
