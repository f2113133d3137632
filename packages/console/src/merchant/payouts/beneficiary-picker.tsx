import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RadioGroup } from "radix-ui";
import { useState } from "react";
import { beneficiaries } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { accountOf, isFound, nameOf } from "../rules/beneficiary.ts";

const words = t.payouts.create;

/** Maximum number of beneficiaries that the local search reads. This takes five requests. */
const searchedMax = 500;
/** Maximum number of visible results. */
const shownMax = 20;

/** Selects a beneficiary by name, account or id. Only cleared beneficiaries can be selected. */
export function BeneficiaryPicker({ onPick }: { onPick: (beneficiary: Beneficiary) => void }) {
  const session = useSession();
  const [search, setSearch] = useState("");
  const found = useSuspenseQuery({
    queryKey: [beneficiaries.path, "picker"],
    queryFn: () => readAll(beneficiaries, { archived: false }, searchedMax),
  });
  const { items, isCut } = found.data;
  const matching = items.filter((each) => isFound(each, search)).slice(0, shownMax);
  const pick = (id: string) => {
    const picked = items.find(({ beneficiary_id }) => beneficiary_id === id);
    if (picked !== undefined) onPick(picked);
  };
  return (
    <div className="stack">
      <TextField label={words.search} type="search" value={search} onChange={setSearch} />
      {matching.length === 0 ? <Notice tone="info">{words.noneMatch}</Notice> : null}
      <RadioGroup.Root className="choices" aria-label={words.who} onValueChange={pick}>
        {matching.map((each) => (
          <Choice key={each.beneficiary_id} beneficiary={each} />
        ))}
      </RadioGroup.Root>
      <p className="soft small">
        {words.onlyCleared} {isCut ? words.cut : ""}
      </p>
      {may(session, "beneficiary:write") ? (
        <p>
          <Link to="/beneficiaries/new" search={{ for: "payout" }}>
            {words.newBeneficiary}
          </Link>
        </p>
      ) : null}
    </div>
  );
}

function Choice({ beneficiary }: { beneficiary: Beneficiary }) {
  const { screening_status: state, destination_currency: currency } = beneficiary;
  return (
    <RadioGroup.Item
      className="choice"
      value={beneficiary.beneficiary_id}
      disabled={state !== "cleared"}
    >
      <span>
        <strong>{nameOf(beneficiary)}</strong>
        <br />
        <span className="small">
          {currency} {beneficiary.transfer_method} {accountOf(beneficiary)}
        </span>
      </span>
      {state === "cleared" ? null : (
        <StateBadge state={state} words={t.beneficiaries.screeningStates} />
      )}
    </RadioGroup.Item>
  );
}
