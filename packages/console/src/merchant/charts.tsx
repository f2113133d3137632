import type {
  AccountActivity,
  AccountDay,
  WebhookActivity,
  WebhookDay,
} from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { accounts, activityOf, webhookActivity } from "../api/lists.ts";
import { readAll } from "../api/pages.ts";
import { get } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { DayCharts, type Measure } from "../ui/day-charts.tsx";
import { SelectField } from "../ui/field.tsx";
import { moneyText } from "../ui/rules/amounts.ts";
import { percentOf, rateText } from "../ui/rules/rates.ts";

const words = t.charts;

type Step = "post" | "release" | "return";

const movement = ({ movements, held }: AccountDay, step: Step) =>
  movements.find((each) => each.step === step) ?? {
    count: 0,
    amount: held.replace(/\d+/, "0").replace(/[1-9]/g, "0"),
  };
const countOf = (day: AccountDay, step: Step) => movement(day, step).count;

/** A payout ends by one of two movements. The ledger releases cancelled and failed ones alike. */
const successOf = (day: AccountDay) =>
  [countOf(day, "post"), countOf(day, "post") + countOf(day, "release")] as const;
const returnsOf = (day: AccountDay) => [countOf(day, "return"), countOf(day, "post")] as const;

function measuresIn(currency: string): readonly Measure<AccountDay>[] {
  return [
    {
      title: words.paid,
      text: (day) => moneyText(movement(day, "post").amount, currency),
      place: (day) => Number(movement(day, "post").amount),
    },
    {
      title: words.payouts,
      text: (day) => String(countOf(day, "post")),
      place: (day) => countOf(day, "post"),
    },
    {
      title: words.success,
      text: (day) => rateText(...successOf(day)),
      place: (day) => percentOf(...successOf(day)),
    },
    {
      title: words.returns,
      text: (day) => rateText(...returnsOf(day)),
      place: (day) => percentOf(...returnsOf(day)),
    },
    {
      title: words.available,
      text: ({ available }) => moneyText(available, currency),
      place: ({ available }) => Number(available),
    },
    { title: words.held, text: ({ held }) => moneyText(held, currency) },
  ];
}

/** The figures of one of the merchant's accounts. */
export function AccountCharts() {
  const found = useQuery({
    queryKey: [accounts.path, "all"],
    queryFn: () => readAll(accounts),
  });
  const all = found.data?.items ?? [];
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

const endedOf = ({ delivered, exhausted }: WebhookDay) =>
  [delivered, delivered + exhausted] as const;

const webhookMeasures: readonly Measure<WebhookDay>[] = [
  {
    title: words.delivered,
    text: (day) => rateText(...endedOf(day)),
    place: (day) => percentOf(...endedOf(day)),
  },
  {
    title: words.deliveries,
    text: (day) => String(endedOf(day)[1] + day.pending + day.cancelled),
    place: (day) => endedOf(day)[1] + day.pending + day.cancelled,
  },
  { title: words.pending, text: ({ pending }) => String(pending) },
];

export function WebhookCharts() {
  return (
    <DayCharts
      title={words.webhooks}
      id={[webhookActivity]}
      read={async (first_day) => (await get<WebhookActivity>(webhookActivity, { first_day })).days}
      measures={webhookMeasures}
    />
  );
}
