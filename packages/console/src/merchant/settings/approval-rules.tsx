import type { ApprovalRuleSet, ApprovalRulesChange } from "@disburse/sdk/gen/types.ts";
import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accounts, rulesPath, rulesProposalsPath } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { amountOf } from "../../ui/rules/amounts.ts";
import { spanText } from "../../ui/rules/times.ts";
import { RulesChange, RulesProposals, Sentences } from "./proposals.tsx";
import { sentencesOf } from "./sentences.ts";

const words = settingsTexts.rules;
const hour = 3_600;
const windows = [0, hour, 24 * hour];
const lifetimes = [hour, 4 * hour, 24 * hour, 72 * hour, 168 * hour];

/** Lengths of time to choose from, with the present one. */
const spansOf = (seconds: readonly number[], present: number, none = "") =>
  [...new Set([...seconds, present])]
    .toSorted((one, two) => one - two)
    .map((each) => [String(each), each === 0 ? none : spanText(each)] as const);

export function ApprovalRules({ mayChange }: { mayChange: boolean }) {
  const found = useSuspenseQuery({
    queryKey: [rulesPath],
    queryFn: () => get<ApprovalRuleSet>(rulesPath),
  });
  const [proposed, setProposed] = useState(false);
  const rules = found.data;
  return (
    <>
      <Section
        title={words.title}
        actions={
          mayChange ? (
            <Change key={JSON.stringify(rules)} rules={rules} onDone={setProposed} />
          ) : undefined
        }
      >
        <div className="card">
          <Sentences sentences={sentencesOf(rules)} />
        </div>
        {proposed ? <Notice tone="good">{words.proposed}</Notice> : null}
      </Section>
      {mayChange ? <RulesProposals /> : null}
    </>
  );
}

type Row = { readonly minimum: string; readonly window: string };

function Change(props: { rules: ApprovalRuleSet; onDone: (isProposed: boolean) => void }) {
  const { rules, onDone } = props;
  const own = useQuery({
    queryKey: [accounts.path, "all"],
    queryFn: () => readAll(accounts),
  });
  const client = useQueryClient();
  const before = new Map(
    rules.amounts.map((each): [string, Row] => [
      each.currency_code,
      { minimum: String(each.minimum), window: String(each.window_seconds) },
    ]),
  );
  const [typed, setTyped] = useState<Readonly<Record<string, Row>>>({});
  const [days, setDays] = useState(String(rules.new_beneficiary_days));
  const [batches, setBatches] = useState(rules.approve_batches ? "yes" : "no");
  const [lasts, setLasts] = useState(String(rules.approval_lasts_seconds));
  const held = (own.data?.items ?? []).map((each) => each.currency_code);
  const currencies = [...new Set([...before.keys(), ...held])];
  const rowOf = (currency: string): Row =>
    typed[currency] ?? before.get(currency) ?? { minimum: "", window: "0" };
  const amounts = currencies.flatMap((currency_code) => {
    const { minimum, window } = rowOf(currency_code);
    const amount = amountOf(minimum) ?? minimum.trim();
    if (amount === "") return [];
    return [{ currency_code, minimum: amount, window_seconds: Number(window) }];
  });
  const after = {
    amounts,
    new_beneficiary_days: Number(days),
    approve_batches: batches === "yes",
    approval_lasts_seconds: Number(lasts),
  };
  const set = async (idempotencyKey: string) => {
    const sent = { body: after, idempotencyKey };
    const { proposal } = await send<ApprovalRulesChange>("POST", rulesPath, sent);
    onDone(proposal !== undefined);
    await client.invalidateQueries({ queryKey: [rulesPath] });
    await client.invalidateQueries({ queryKey: [rulesProposalsPath] });
    setTyped({});
    return proposal && "proposed";
  };
  return (
    <ConfirmButton label={words.change} text={words.changeText} kind="plain" confirm={set}>
      {currencies.map((currency) => {
        const row = rowOf(currency);
        const change = (more: Partial<Row>) =>
          setTyped({ ...typed, [currency]: { ...row, ...more } });
        const spans = spansOf(windows, Number(row.window), words.alone);
        return (
          <div key={currency} className="columns">
            <TextField
              label={words.minimum({ currency })}
              hint={words.minimumHint}
              inputMode="decimal"
              value={row.minimum}
              onChange={(minimum) => change({ minimum })}
            />
            {row.minimum === "" ? null : (
              <SelectField
                label={words.window({ currency })}
                value={row.window}
                options={spans}
                onChange={(window) => change({ window })}
              />
            )}
          </div>
        );
      })}
      <TextField label={words.newDays} inputMode="numeric" value={days} onChange={setDays} />
      <SelectField
        label={words.approveBatches}
        value={batches}
        options={Object.entries(words.batchesBy)}
        onChange={setBatches}
      />
      <SelectField
        label={words.lastsLabel}
        value={lasts}
        options={spansOf(lifetimes, rules.approval_lasts_seconds)}
        onChange={setLasts}
      />
      <RulesChange before={rules} after={after as unknown as ApprovalRuleSet} />
    </ConfirmButton>
  );
}
