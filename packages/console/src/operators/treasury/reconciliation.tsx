import type { RailReport } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Money } from "../../ui/money.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { isZero } from "../../ui/rules/amounts.ts";

const words = operatorTexts.treasury.reconciliation;
const route = getRouteApi("/shell/treasury/reconciliation");

export function Reconciliation() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const accounts = useSuspenseQuery({
    queryKey: ["accounts", "rails"],
    queryFn: () => answerOf(rpcs.operations.listRailAccounts({})),
  });
  const options = accounts.data.accounts.map(({ rail, currencyCode }) => {
    const value = `${rail}/${currencyCode}`;
    return [value, `${rail} ${currencyCode}`] as const;
  });
  const account = search.account ?? options[0]?.[0];
  const day = search.day ?? new Date().toISOString().slice(0, 10);
  if (account === undefined) {
    return (
      <Page title={words.title}>
        <Notice tone="info">{words.noRails}</Notice>
      </Page>
    );
  }
  return (
    <Page title={words.title}>
      <div className="filters">
        <SelectField
          label={words.rail}
          value={account}
          onChange={(next) => void navigate({ search: { account: next, day } })}
          options={options}
        />
        <TextField
          label={words.day}
          type="date"
          value={day}
          onChange={(next) => void navigate({ search: { account, day: next } })}
        />
      </div>
      <Report account={account} day={day} />
    </Page>
  );
}

function Report({ account, day }: { account: string; day: string }) {
  const [rail = "", currencyCode = ""] = account.split("/");
  const found = useSuspenseQuery({
    queryKey: ["accounts", "report", account, day],
    queryFn: () => answerOf(rpcs.operations.getRailReport({ rail, currencyCode, day })),
  });
  const { report } = found.data;
  return report === undefined ? null : <Figures report={report} />;
}

function Figures({ report }: { report: RailReport }) {
  const money = (amount: string) =>
    amount === "" ? undefined : <Money amount={amount} currency={report.currencyCode} />;
  const isClear = report.unexplained === "" || isZero(report.unexplained);
  return (
    <>
      {report.statementClosing === "" ? null : (
        <Notice tone={isClear ? "good" : "bad"}>{isClear ? words.good : words.bad}</Notice>
      )}
      <div className="card">
        <Facts
          rows={[
            [words.opening, money(report.opening)],
            [words.funded, money(report.funded)],
            [words.swept, money(report.swept)],
            [words.paid, money(report.paid)],
            [words.returned, money(report.returned)],
            [words.charges, money(report.charges)],
            [words.closing, money(report.closing)],
            [words.held, money(report.held)],
            [words.statement, money(report.statementClosing) ?? words.noStatement],
            [words.difference, money(report.difference)],
            [words.unexplained, money(report.unexplained)],
          ]}
        />
      </div>
    </>
  );
}
