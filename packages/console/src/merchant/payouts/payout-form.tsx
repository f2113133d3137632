import type { Account, Beneficiary, Corridor } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { RadioGroup } from "radix-ui";
import { accounts, corridors } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { amountOf, grouped, isZero, moneyText } from "../../ui/rules/amounts.ts";
import { isBelow } from "../../ui/rules/sums.ts";
import { useRested } from "../../ui/use-rested.ts";
import { type Side, usePayoutDraft } from "./draft.ts";
import { corridorOf, type QuoteWish } from "./quote.ts";
import { QuotePanel } from "./quote-panel.tsx";
import { SchedulePanel } from "./schedule-panel.tsx";

const words = t.payouts.create;
const sides = { source_amount: words.sends, receiving_amount: words.receives } as const;

export function PayoutForm({ beneficiary }: { beneficiary: Beneficiary }) {
  const found = useSuspenseQuery({
    queryKey: [accounts.path, "to-pay-from"],
    queryFn: async () => {
      const [own, known] = await Promise.all([readAll(accounts), readAll(corridors)]);
      return { accounts: own.items, corridors: known.items };
    },
  });
  const { destination_currency: currency = "" } = beneficiary;
  const usable = found.data.accounts.flatMap((account) => {
    const corridor = corridorOf(found.data.corridors, account.currency_code, currency);
    return corridor === undefined ? [] : [{ account, corridor }];
  });
  if (usable[0] === undefined) return <Notice tone="warn">{words.noAccount({ currency })}</Notice>;
  return <Amounts beneficiary={beneficiary} usable={[usable[0], ...usable.slice(1)]} />;
}

/** An account with a corridor to the beneficiary. */
type Usable = { readonly account: Account; readonly corridor: Corridor };

function Amounts(props: { beneficiary: Beneficiary; usable: readonly [Usable, ...Usable[]] }) {
  const { beneficiary, usable } = props;
  const [draft, setDraft, forget] = usePayoutDraft(beneficiary);
  const { side, typed, reference, remittance, day } = draft;
  const accountId = draft.accountId || likeliest(usable).account.id;
  const set = (name: keyof typeof draft) => (text: string) => setDraft({ ...draft, [name]: text });
  const { account, corridor } = usable.find((each) => each.account.id === accountId) ?? usable[0];
  const amount = useRested(amountOf(typed));
  const { source_amount_min: min = "0", source_amount_max: max = "" } = corridor.limits;
  const { currency_code: source } = account;
  const sent = side === "source_amount" ? amountOf(typed) : undefined;
  const outside = sent === undefined ? undefined : limitProblem(sent, { min, max, source });
  const isShort = sent !== undefined && day === "" && isBelow(account.available, sent);
  const problem =
    outside ?? (isShort ? words.tooShort({ available: availableOf(account) }) : undefined);
  // The balance never ends a quote: the payment itself lowers it, while its dialog is open.
  const wish: QuoteWish | undefined =
    amount === undefined || outside !== undefined
      ? undefined
      : { account, beneficiary, side, amount };
  const currency = side === "source_amount" ? source : (beneficiary.destination_currency ?? "");
  const isBad = typed !== "" && amountOf(typed) === undefined;
  return (
    <div className="columns">
      <div className="form">
        <Section title={words.howMuch}>
          <div className="card">
            <SelectField
              label={words.fromAccount}
              value={accountId}
              onChange={set("accountId")}
              options={usable.map(({ account: each }) => [
                each.id,
                `${moneyText(each.available, each.currency_code)} · ${each.name || each.id}`,
              ])}
            />
            <SideChoice side={side} onChange={set("side")} />
            <TextField
              label={words.amount({ currency })}
              value={typed}
              onChange={set("typed")}
              inputMode="decimal"
              name="amount"
              required
              {...(isBad ? { error: words.badAmount } : {})}
              {...(problem === undefined ? {} : { error: problem })}
              {...(side === "source_amount"
                ? { hint: words.amountHint({ min: grouped(min), max: moneyText(max, source) }) }
                : {})}
            />
          </div>
        </Section>
        <Details
          {...{ reference, remittance, day }}
          setDay={set("day")}
          setReference={set("reference")}
          setRemittance={set("remittance")}
        />
      </div>
      <Section title={day === "" ? words.quote : words.schedule}>
        {day === "" ? (
          <QuotePanel wish={wish} corridor={corridor} details={{ reference, remittance }} />
        ) : (
          <SchedulePanel {...{ wish, day, forget }} details={{ reference, remittance }} />
        )}
      </Section>
    </div>
  );
}

const availableOf = ({ available, currency_code: currency }: Account) =>
  moneyText(available, currency);

/** Compares an amount with the limits of its corridor. */
function limitProblem(
  amount: string,
  { min, max, source }: { readonly min: string; readonly max: string; readonly source: string },
): string | undefined {
  if (isBelow(amount, min)) return words.tooLittle({ min: moneyText(min, source) });
  return max !== "" && isBelow(max, amount)
    ? words.tooMuch({ max: moneyText(max, source) })
    : undefined;
}

type DetailsProps = {
  reference: string;
  setReference: (text: string) => void;
  remittance: string;
  setRemittance: (text: string) => void;
  day: string;
  setDay: (day: string) => void;
};

function Details(props: DetailsProps) {
  const { reference, setReference, remittance, setRemittance, day, setDay } = props;
  return (
    <Section title={words.details}>
      <div className="card">
        <TextField
          label={words.reference}
          value={reference}
          onChange={setReference}
          maxLength={255}
          name="reference"
        />
        <TextField
          label={words.remittance}
          hint={words.remittanceHint}
          value={remittance}
          onChange={setRemittance}
          maxLength={140}
        />
        <TextField
          label={words.day}
          hint={words.dayHint}
          type="date"
          value={day}
          onChange={setDay}
        />
      </div>
    </Section>
  );
}

/** Preselects the first account with a balance. */
function likeliest(usable: readonly [Usable, ...Usable[]]): Usable {
  return usable.find(({ account }) => !isZero(account.available)) ?? usable[0];
}

function SideChoice({ side, onChange }: { side: Side; onChange: (side: Side) => void }) {
  return (
    <div className="field">
      <span>{words.side}</span>
      <RadioGroup.Root
        className="segments"
        aria-label={words.side}
        value={side}
        onValueChange={(value) => onChange(value as Side)}
      >
        {Object.entries(sides).map(([value, label]) => (
          <RadioGroup.Item key={value} value={value}>
            {label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
