import { getRouteApi } from "@tanstack/react-router";
import { rpcs } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Money } from "../../ui/money.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Part } from "../../ui/part.tsx";
import { isZero } from "../../ui/rules/amounts.ts";

const words = operatorTexts.treasury.reconciliation;
const route = getRouteApi("/shell/treasury/reconciliation");

export function Reconciliation() {
  return (
    <Page>
      <Part>
        <Reports />
      </Part>
    </Page>
  );
}

function Reports() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { accounts } = useAnswer(["accounts", "rails", "all"], () =>
    rpcs.operations.listRailAccounts({}),
  );
  const options = accounts.map(({ rail, currencyCode }) => {
    return [`${rail}/${currencyCode}`, `${rail} ${currencyCode}`] as const;
  });
  const { account = options[0]?.[0], day = new Date().toISOString().slice(0, 10) } = search;
  const show = (next: typeof search) =>
    void navigate({ search: { ...(account && { account }), day, ...next } });
  if (account === undefined) return <Notice tone="info">{words.noRails}</Notice>;
  return (
    <>
      <div className="filters">
        <SelectField
          label={words.rail}
          value={account}
          onChange={(next) => show({ account: next })}
          options={options}
        />
        <TextField
          label={words.day}
          type="date"
          value={day}
          onChange={(next) => show({ day: next })}
        />
      </div>
      <Part id={`${account} ${day}`}>
        <Report {...{ account, day }} />
      </Part>
    </>
  );
}

const lines = [
  ...(["opening", "funded", "swept", "paid", "returned", "charges", "closing", "held"] as const),
  ...(["statementClosing", "difference", "unexplained"] as const),
];

function Report({ account, day }: { account: string; day: string }) {
  const [rail = "", currencyCode = ""] = account.split("/");
  const { report } = useAnswer(["accounts", "report", account, day], () =>
    rpcs.operations.getRailReport({ rail, currencyCode, day }),
  );
  if (report === undefined) return null;
  const { statementClosing: statement, unexplained } = report;
  const isClear = unexplained === "" || isZero(unexplained);
  const rows = lines.map((line) => {
    const amount = report[line];
    if (amount !== "")
      return [words[line], <Money key={line} {...{ amount }} currency={currencyCode} />] as const;
    return [words[line], line === "statementClosing" ? words.noStatement : ""] as const;
  });
  return (
    <>
      {statement === "" ? null : (
        <Notice tone={isClear ? "good" : "bad"}>{isClear ? words.good : words.bad}</Notice>
      )}
      <div className="card">
        <Facts rows={rows} />
      </div>
    </>
  );
}
