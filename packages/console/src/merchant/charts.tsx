import type {
  AccountActivity,
  AccountDay,
  WebhookActivity,
  WebhookDay,
} from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { accounts, activityOf, webhookActivity } from "../api/lists.ts";
import { allOf } from "../api/pages.ts";
import { get } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { DayCharts, type Measure } from "../ui/day-charts.tsx";
import { SelectField } from "../ui/field.tsx";
import { moneyText } from "../ui/rules/amounts.ts";
import { percentOf, rateText } from "../ui/rules/rates.ts";

const words = t.charts;

type Day = { readonly date: string };

const countOf = <T extends Day>(title: string, read: (day: T) => number): Measure<T> => {
  return { title, text: (day) => String(read(day)), place: read };
};

/** A share: a part, and the whole. */
const rateOf = <T extends Day>(
  title: string,
  read: (day: T) => readonly [number, number],
): Measure<T> => {
  return { title, text: (day) => rateText(...read(day)), place: (day) => percentOf(...read(day)) };
};

const movement = ({ movements, held }: AccountDay, step: "post" | "release" | "return") =>
  movements.find((each) => each.step === step) ?? {
    count: 0,
    amount: held.replace(/\d+/, "0").replace(/[1-9]/g, "0"),
  };

function measuresIn(currency: string): readonly Measure<AccountDay>[] {
  const moneyOf = (title: string, read: (day: AccountDay) => string): Measure<AccountDay> => {
    return {
      title,
      text: (day) => moneyText(read(day), currency),
      place: (day) => Number(read(day)),
    };
  };
  const paid = (day: AccountDay) => movement(day, "post");
  const { place: _, ...held } = moneyOf(words.held, (day) => day.held);
  return [
    moneyOf(words.paid, (day) => paid(day).amount),
    countOf(words.payouts, (day) => paid(day).count),
    // A payout ends by one of two movements. The ledger releases cancelled and failed ones alike.
    rateOf(words.success, (day) => [
      paid(day).count,
      paid(day).count + movement(day, "release").count,
    ]),
    rateOf(words.returns, (day) => [movement(day, "return").count, paid(day).count]),
    moneyOf(words.available, (day) => day.available),
    held,
  ];
}

/** The figures of one of the merchant's accounts. */
export function AccountCharts() {
  const all = useSuspenseQuery(allOf(accounts)).data.items;
  const [chosen, setChosen] = useState("");
  const { id = "", currency_code: currency = "" } =
    all.find((each) => each.id === chosen) ?? all[0] ?? {};
  const measures = useMemo(() => measuresIn(currency), [currency]);
  if (id === "") return null;
  return (
    <DayCharts
      title={words.account}
      id={[activityOf(id)]}
      read={async (first_day) => (await get<AccountActivity>(activityOf(id), { first_day })).days}
      measures={measures}
      actions={
        all.length < 2 ? undefined : (
          <SelectField
            label={words.chooseAccount}
            value={id}
            options={all.map((each) => [
              each.id,
              `${each.name || each.currency_code} · ${each.id.slice(-6)}`,
            ])}
            onChange={setChosen}
          />
        )
      }
    />
  );
}

const ended = ({ delivered, exhausted }: WebhookDay) => delivered + exhausted;

const webhookMeasures: readonly Measure<WebhookDay>[] = [
  rateOf(words.delivered, (day) => [day.delivered, ended(day)]),
  countOf(words.deliveries, (day) => ended(day) + day.pending + day.cancelled),
  { title: words.pending, text: ({ pending }) => String(pending) },
];

export const WebhookCharts = () => (
  <DayCharts
    title={words.webhooks}
    id={[webhookActivity]}
    read={async (first_day) => (await get<WebhookActivity>(webhookActivity, { first_day })).days}
    measures={webhookMeasures}
  />
);
