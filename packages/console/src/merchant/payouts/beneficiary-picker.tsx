import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RadioGroup } from "radix-ui";
import { useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { newestPayees } from "../names.tsx";
import { destinationOf, isFound, nameOf } from "../rules/beneficiary.ts";

const words = t.payouts.create;

/** Maximum number of visible results. */
const shownMax = 20;

/** Selects a beneficiary by name, account or id. Only cleared beneficiaries can be selected. */
export function BeneficiaryPicker({ onPick }: { onPick: (id: string) => void }) {
  const [search, setSearch] = useState("");
  const { items, isCut } = useSuspenseQuery(newestPayees).data;
  const matching = items.filter((each) => !each.archived && isFound(each, search));
  return (
    <div className="stack">
      <TextField label={words.search} type="search" value={search} onChange={setSearch} />
      {matching.length === 0 ? <Notice tone="info">{words.noneMatch}</Notice> : null}
      <RadioGroup.Root className="choices" aria-label={words.who} onValueChange={onPick}>
        {matching.slice(0, shownMax).map((each) => (
          <Choice key={each.beneficiary_id} beneficiary={each} />
        ))}
      </RadioGroup.Root>
      <p className="soft small">
        {words.onlyCleared} {isCut ? words.cut : ""}
      </p>
      <May scope="beneficiary:write">
        <p>
          <Link to="/beneficiaries/new" search={{ for: "payout" }}>
            {t.shell.pages.newBeneficiary}
          </Link>
        </p>
      </May>
    </div>
  );
}

function Choice({ beneficiary }: { beneficiary: Beneficiary }) {
  const { beneficiary_id: id, screening_status: state } = beneficiary;
  return (
    <RadioGroup.Item className="choice" value={id} disabled={state !== "cleared"}>
      <span>
        <strong>{nameOf(beneficiary)}</strong>
        <br />
        <span className="small">{destinationOf(beneficiary)}</span>
      </span>
      {state === "cleared" ? null : (
        <StateBadge state={state} words={t.beneficiaries.screeningStates} />
      )}
    </RadioGroup.Item>
  );
}
