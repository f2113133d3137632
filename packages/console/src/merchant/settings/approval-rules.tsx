import type { ApprovalRuleSet, ApprovalRulesChange } from "@disburse/sdk/gen/types.ts";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accounts, rulesPath } from "../../api/lists.ts";
import { allOf } from "../../api/pages.ts";
import { get, post } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Fields } from "../../ui/fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { amountOf } from "../../ui/rules/amounts.ts";
import { spanText } from "../../ui/rules/times.ts";
import { useFields } from "../../ui/use-fields.ts";
import { RulesChange, RulesProposals, Sentences } from "./proposals.tsx";
import { sentencesOf } from "./sentences.ts";

const words = settingsTexts.rules;
const hour = 3_600;
const windows = [0, hour, 24 * hour];
const lifetimes = [hour, 4 * hour, 24 * hour, 72 * hour, 168 * hour];

/** Lengths of time to choose from, with the present one. */
const spansOf = (seconds: readonly number[], present: number) =>
  [...new Set([...seconds, present])]
    .toSorted((one, two) => one - two)
    .map((each) => [String(each), each === 0 ? words.alone : spanText(each)] as const);

export function ApprovalRules({ mayChange }: { mayChange: boolean }) {
  const { data: rules } = useSuspenseQuery({
    queryKey: [rulesPath],
    queryFn: () => get<ApprovalRuleSet>(rulesPath),
  });
  const [proposed, setProposed] = useState(false);
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

/** The fields of a form, two for each currency with a minimum. */
function fieldsOf(rules: ApprovalRuleSet): Record<string, string> {
  return {
    days: String(rules.new_beneficiary_days),
    batches: rules.approve_batches ? "yes" : "no",
    lasts: String(rules.approval_lasts_seconds),
    ...Object.fromEntries(
      rules.amounts.flatMap(({ currency_code: currency, minimum, window_seconds: seconds }) => [
        [`minimum ${currency}`, String(minimum)],
        [`window ${currency}`, String(seconds)],
      ]),
    ),
  };
}

const blankOf = (name: string) => (name.startsWith("window") ? "0" : "");

function Change(props: { rules: ApprovalRuleSet; onDone: (isProposed: boolean) => void }) {
  const { rules, onDone } = props;
  const { data: own } = useQuery(allOf(accounts));
  const { values, field, clear } = useFields(fieldsOf(rules));
  const held = (own?.items ?? []).map((each) => each.currency_code);
  const before = rules.amounts.map((each) => each.currency_code);
  const currencies = [...new Set([...before, ...held])].map((currency) => ({
    currency,
    minimum: (values[`minimum ${currency}`] ?? "").trim(),
    window: values[`window ${currency}`] ?? "0",
  }));
  const after = {
    amounts: currencies
      .filter(({ minimum }) => minimum !== "")
      .map(({ currency, minimum, window }) => ({
        currency_code: currency,
        minimum: amountOf(minimum) ?? minimum,
        window_seconds: Number(window),
      })),
    new_beneficiary_days: Number(values["days"]),
    approve_batches: values["batches"] === "yes",
    approval_lasts_seconds: Number(values["lasts"]),
  };
  const set = async (key: string) => {
    const { proposal } = await post<ApprovalRulesChange>(rulesPath, after, key);
    onDone(proposal !== undefined);
    clear();
    return proposal && "proposed";
  };
  const textOf = (name: string) => ({ ...field(name), value: values[name] ?? blankOf(name) });
  return (
    <ConfirmButton label={words.change} text={words.changeText} kind="plain" confirm={set}>
      {currencies.map(({ currency, minimum, window }) => (
        <div key={currency} className="columns">
          <Fields
            fields={[
              {
                name: `minimum ${currency}`,
                label: words.minimum({ currency }),
                hint: words.minimumHint,
                inputMode: "decimal" as const,
              },
              {
                name: `window ${currency}`,
                label: words.window({ currency }),
                options: spansOf(windows, Number(window)),
              },
            ].slice(0, minimum === "" ? 1 : 2)}
            field={textOf}
          />
        </div>
      ))}
      <Fields
        fields={[
          { name: "days", label: words.newDays, inputMode: "numeric" },
          {
            name: "batches",
            label: words.approveBatches,
            options: Object.entries(words.batchesBy),
          },
          {
            name: "lasts",
            label: words.lastsLabel,
            options: spansOf(lifetimes, rules.approval_lasts_seconds),
          },
        ]}
        field={textOf}
      />
      <RulesChange before={rules} after={after as unknown as ApprovalRuleSet} />
    </ConfirmButton>
  );
}
