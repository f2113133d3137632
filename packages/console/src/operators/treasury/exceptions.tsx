import {
  ExceptionKind,
  type PayoutException,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { isoOf } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ageColumn, moneyColumn, textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { TreasuryPayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { merchantColumns } from "../merchants.tsx";
import { ProposalLink } from "../open-proposal.tsx";
import { readExceptions } from "./resolution.tsx";

const { exceptions: words, payouts } = operatorTexts.treasury;

const idOf = ({ payout }: PayoutException) => payout?.id ?? "";
const kindOf = ({ kind }: PayoutException) => enumName(ExceptionKind, kind);

const columns: readonly Column<PayoutException>[] = [
  ageColumn("age", words.age, ({ since }) => isoOf(since)),
  textColumn("payout", t.shell.pages.payout, idOf, {
    cell: (row) => <TreasuryPayoutLink id={idOf(row)}>{idOf(row)}</TreasuryPayoutLink>,
  }),
  textColumn("kind", words.kind, kindOf, { cell: (row) => words.kinds[kindOf(row)] ?? "" }),
  moneyColumn("amount", t.payouts.sent, ({ payout }) => [
    payout?.sourceAmount,
    payout?.sourceCurrencyCode,
  ]),
  ...merchantColumns<PayoutException>(({ payout }) => payout?.merchantId ?? ""),
  textColumn("beneficiary", t.payouts.beneficiary, ({ payout }) => payout?.beneficiaryName ?? ""),
  textColumn("reference", payouts.merchantReference, ({ payout }) => payout?.referenceId ?? "", {
    width: "wide",
  }),
  textColumn("rail", payouts.rail, ({ rail }) => rail, { width: "wide" }),
  textColumn("resolution", words.resolution, ({ proposalId }) => proposalId, {
    cell: ({ proposalId }) =>
      proposalId === "" ? (
        "–"
      ) : (
        <ProposalLink place="payout" proposalId={proposalId}>
          <Badge tone="warn">{words.proposed}</Badge>
        </ProposalLink>
      ),
  }),
];

const source = { key: ["exceptions"], read: readExceptions };

export function Exceptions() {
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={() => source}
      columns={columns}
      keyOf={idOf}
      file={{ name: "exceptions" }}
    />
  );
}
