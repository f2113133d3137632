import type { BeneficiaryForms, BeneficiaryLinkWithUrl } from "@disburse/sdk/gen/types.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { beneficiaryLinks } from "../../api/lists.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";

const words = t.beneficiaries.links;

const blank = { currency: "", accountType: "", name: "", reference: "", days: "7" };

/** Creates a link with which a beneficiary enters its own details, and shows it once. */
export function AskBeneficiary() {
  const client = useQueryClient();
  const [form, setForm] = useState(blank);
  const [created, setCreated] = useState<BeneficiaryLinkWithUrl>();
  const set = (name: keyof typeof blank) => (value: string) => setForm({ ...form, [name]: value });
  const create = async (idempotencyKey: string) => {
    const { currency, accountType, name, reference, days } = form;
    const body = {
      destination_currency: currency,
      ...(accountType === "" ? {} : { beneficiary_account_type: accountType }),
      ...(name.trim() === "" ? {} : { beneficiary_name: name.trim() }),
      ...(reference.trim() === "" ? {} : { reference_id: reference.trim() }),
      expires_in_days: Number(days),
    };
    const { path } = beneficiaryLinks;
    setCreated(await send<BeneficiaryLinkWithUrl>("POST", path, { body, idempotencyKey }));
    setForm(blank);
    await client.invalidateQueries({ queryKey: [path] });
  };
  return (
    <>
      <ConfirmButton
        label={words.ask}
        text={words.askText}
        kind="plain"
        isReady={form.currency !== "" && /^(?:[1-9]|[12]\d|30)$/.test(form.days)}
        confirm={create}
      >
        <Currency value={form.currency} onChange={set("currency")} />
        <SelectField
          label={t.beneficiaries.accountType}
          value={form.accountType}
          onChange={set("accountType")}
          options={[["", words.theirChoice], ...Object.entries(t.beneficiaries.accountTypes)]}
        />
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={form.name}
          onChange={set("name")}
          maxLength={255}
        />
        <TextField
          label={words.reference}
          value={form.reference}
          onChange={set("reference")}
          maxLength={255}
        />
        <TextField
          label={words.days}
          hint={words.daysHint}
          value={form.days}
          onChange={set("days")}
          inputMode="numeric"
        />
      </ConfirmButton>
      {created === undefined ? null : (
        <ShownOnce
          title={words.madeTitle}
          text={words.madeText}
          done={words.madeDone}
          secrets={[[words.url, new URL(created.url, window.location.origin).href]]}
          onDone={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

function Currency(props: { value: string; onChange: (value: string) => void }) {
  const { data } = useQuery({
    queryKey: ["beneficiary-forms"],
    queryFn: () => get<BeneficiaryForms>("/api/v1/transfer/beneficiary-forms"),
    staleTime: "static",
  });
  const codes = new Set(data?.forms.map((form) => form.destination_currency) ?? []);
  return (
    <SelectField
      label={t.beneficiaries.currency}
      {...props}
      options={[["", words.choose], ...[...codes].toSorted().map((code) => [code, code] as const)]}
    />
  );
}
