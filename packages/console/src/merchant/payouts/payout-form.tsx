import type { Account, Beneficiary, Corridor } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { RadioGroup } from "radix-ui";
import { useState } from "react";
import { accounts, corridors } from "../../api/lists.ts";
import { allOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Fields } from "../../ui/fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { amountOf, grouped, isZero, moneyText } from "../../ui/rules/amounts.ts";
import { isBelow } from "../../ui/rules/sums.ts";
import { useRested } from "../../ui/use-rested.ts";
import { accountLabel } from "../rules/account.ts";
import { usePayoutDraft } from "./draft.ts";
import { corridorOf, type QuoteWish } from "./quote.ts";
import { QuotePanel } from "./quote-panel.tsx";
import { SchedulePanel } from "./schedule-panel.tsx";

const words = t.payouts.create;
const sides = { source_amount: words.sends, receiving_amount: words.receives } as const;

export function PayoutForm({ beneficiary }: { beneficiary: Beneficiary }) {
  const own = useSuspenseQuery(allOf(accounts)).data.items;
  const known = useSuspenseQuery(allOf(corridors)).data.items;
  const { destination_currency: currency = "" } = beneficiary;
  const [first, ...others] = own.flatMap((account) => {
    const corridor = corridorOf(known, account.currency_code, currency);
    return corridor === undefined ? [] : [{ account, corridor }];
  });
  if (first === undefined) return <Notice tone="warn">{words.noAccount({ currency })}</Notice>;
  return <Amounts beneficiary={beneficiary} usable={[first, ...others]} />;
}

/** An account with a corridor to the beneficiary. */
type Usable = { readonly account: Account; readonly corridor: Corridor };

function Amounts(props: { beneficiary: Beneficiary; usable: readonly [Usable, ...Usable[]] }) {
  const { beneficiary, usable } = props;
  const [draft, setDraft, forget] = usePayoutDraft(beneficiary);
  const { side, typed, reference, remittance, day } = draft;
  const field = (name: keyof typeof draft) => ({
    value: draft[name],
    onChange: (text: string) => setDraft({ ...draft, [name]: text }),
  });
  // Preselects the first account with a balance. It stays the same when balances change, because
  // another account ends the quote, and with it an attempt whose outcome is not known.
  const [likeliest] = useState(
    () => (usable.find((each) => !isZero(each.account.available)) ?? usable[0]).account.id,
  );
  const accountId = draft.accountId || likeliest;
  const { account, corridor } = usable.find((each) => each.account.id === accountId) ?? usable[0];
  const { currency_code: source } = account;
  const isSent = side === "source_amount";
  const amount = useRested(amountOf(typed));
  const sent = isSent ? amountOf(typed) : undefined;
  const outside = sent && limitProblem(sent, corridor, source);
  const isShort = sent !== undefined && day === "" && isBelow(account.available, sent);
  const available = moneyText(account.available, source);
  const isBad = typed !== "" && amountOf(typed) === undefined;
  // The balance never ends a quote: the payment itself lowers it, while its dialog is open.
  const wish: QuoteWish | undefined =
    amount === undefined || outside ? undefined : { account, beneficiary, side, amount };
  const currency = isSent ? source : (beneficiary.destination_currency ?? "");
  const { source_amount_min: min = "0", source_amount_max: max = "" } = corridor.limits;
  const details = { reference, remittance };
  return (
    <div className="columns">
      <div className="form">
        <Section title={words.howMuch}>
          <div className="card">
            <SelectField
              label={words.fromAccount}
              {...field("accountId")}
              value={account.id}
              options={usable.map(({ account: each }) => [each.id, accountLabel(each)])}
            />
            <SideChoice {...field("side")} />
            <TextField
              label={words.amount({ currency })}
              {...field("typed")}
              inputMode="decimal"
              name="amount"
              required
              error={
                outside ||
                (isShort ? words.tooShort({ available }) : isBad ? words.badAmount : undefined)
              }
              hint={
                isSent
                  ? words.amountHint({ min: grouped(min), max: moneyText(max, source) })
                  : undefined
              }
            />
          </div>
        </Section>
        <Section title={words.details}>
          <div className="card">
            <Fields
              fields={[
                { name: "reference", label: words.reference, maxLength: 255 },
                {
                  name: "remittance",
                  label: words.remittance,
                  hint: words.remittanceHint,
                  maxLength: 140,
                },
                { name: "day", label: words.day, hint: words.dayHint, type: "date" },
              ]}
              field={field}
            />
          </div>
        </Section>
      </div>
      <Section title={day === "" ? words.quote : words.schedule}>
        {day === "" ? (
          <QuotePanel {...{ wish, corridor, details }} />
        ) : (
          <SchedulePanel {...{ wish, day, forget, details }} />
        )}
      </Section>
    </div>
  );
}

/** Compares an amount with the limits of its corridor. */
function limitProblem(amount: string, { limits }: Corridor, source: string): string | undefined {
  const { source_amount_min: min = "0", source_amount_max: max = "" } = limits;
  if (isBelow(amount, min)) return words.tooLittle({ min: moneyText(min, source) });
  return max !== "" && isBelow(max, amount)
    ? words.tooMuch({ max: moneyText(max, source) })
    : undefined;
}

function SideChoice({ value, onChange }: { value: string; onChange: (side: string) => void }) {
  return (
    <div className="field">
      <span>{words.side}</span>
      <RadioGroup.Root
        className="segments"
        aria-label={words.side}
        value={value}
        onValueChange={onChange}
      >
        {Object.entries(sides).map(([side, label]) => (
          <RadioGroup.Item key={side} value={side}>
            {label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
