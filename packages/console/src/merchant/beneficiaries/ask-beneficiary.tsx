import type { BeneficiaryForms, BeneficiaryLinkWithUrl } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { beneficiaryForms, beneficiaryLinks } from "../../api/lists.ts";
import { get, post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { FormButton } from "../../ui/form-button.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";

const words = t.beneficiaries.links;

const initial = {
  destination_currency: "",
  beneficiary_account_type: "",
  beneficiary_name: "",
  beneficiary_first_name: "",
  beneficiary_last_name: "",
  beneficiary_name_latin: "",
  reference_id: "",
  expires_in_days: "7",
};

export const formsQuery = {
  queryKey: [beneficiaryForms],
  queryFn: () => get<BeneficiaryForms>(beneficiaryForms),
  staleTime: 300_000,
};

const nameFields = [
  { name: "beneficiary_name", label: words.name, hint: words.nameHint, maxLength: 255 },
  { name: "beneficiary_first_name", label: words.firstName, maxLength: 255 },
  { name: "beneficiary_last_name", label: words.lastName, maxLength: 255 },
  {
    name: "beneficiary_name_latin",
    label: words.latinName,
    hint: words.latinNameHint,
    maxLength: 511,
  },
] as const;

/** Creates a link with which a beneficiary enters its own details, and shows it once. */
export function AskBeneficiary() {
  const { data } = useQuery(formsQuery);
  const codes = new Set(data?.forms.map((form) => form.destination_currency));
  const create = ({ expires_in_days: days, ...typed }: typeof initial, key: string) => {
    const texts = Object.entries(typed).map(([name, text]) => [name, text.trim()] as const);
    const known = Object.fromEntries(texts.filter(([, text]) => text !== ""));
    const body = { ...known, expires_in_days: Number(days) };
    return post<BeneficiaryLinkWithUrl>(beneficiaryLinks.path, body, key);
  };
  return (
    <FormButton
      label={words.ask}
      text={words.askText}
      kind="plain"
      initial={initial}
      fields={[
        {
          name: "destination_currency",
          label: t.beneficiaries.currency,
          options: [...codes].toSorted().map((code) => [code, code] as const),
          none: words.choose,
          required: true,
        },
        {
          name: "beneficiary_account_type",
          label: t.beneficiaries.accountType,
          options: Object.entries(t.beneficiaries.accountTypes),
          none: words.theirChoice,
        },
        ...nameFields,
        { name: "reference_id", label: words.reference, maxLength: 255 },
        {
          name: "expires_in_days",
          label: words.days,
          hint: words.daysHint,
          inputMode: "numeric",
        },
      ]}
      isReady={({ expires_in_days: days }) => /^(?:[1-9]|[12]\d|30)$/.test(days)}
      send={create}
      shown={({ url }, onDone) => (
        <ShownOnce
          title={words.madeTitle}
          text={words.madeText}
          done={words.madeDone}
          secrets={[[words.url, new URL(url, window.location.origin).href]]}
          onDone={onDone}
        />
      )}
    />
  );
}
