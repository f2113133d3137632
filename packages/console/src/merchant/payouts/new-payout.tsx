import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { beneficiaries } from "../../api/lists.ts";
import { recordOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { destinationOf, nameOf } from "../rules/beneficiary.ts";
import { BeneficiaryPicker } from "./beneficiary-picker.tsx";
import { PayoutForm } from "./payout-form.tsx";

const words = t.payouts.create;
const route = getRouteApi("/shell/payouts/new");

export function NewPayout() {
  const { beneficiary: id } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (beneficiary?: string) =>
    void navigate({ search: beneficiary === undefined ? {} : { beneficiary } });
  return (
    <Page>
      {id === undefined ? (
        <Section title={words.who}>
          <div className="card">
            <BeneficiaryPicker onPick={choose} />
          </div>
        </Section>
      ) : (
        <Chosen key={id} id={id} onChange={() => choose()} />
      )}
    </Page>
  );
}

function Chosen({ id, onChange }: { id: string; onChange: () => void }) {
  const { data: beneficiary } = useSuspenseQuery({
    ...recordOf<Beneficiary>(beneficiaries, id),
    refetchInterval: ({ state }) => (state.data?.screening_status === "pending" ? 2_000 : false),
  });
  const { screening_status: state } = beneficiary;
  return (
    <>
      <Section title={words.chosen}>
        <div className="card">
          <div className="row between">
            <div>
              <strong>{nameOf(beneficiary)}</strong>
              <div className="soft small break">{destinationOf(beneficiary)}</div>
            </div>
            <div className="row">
              <StateBadge state={state} words={t.beneficiaries.screeningStates} />
              <Button onClick={onChange}>{words.change}</Button>
            </div>
          </div>
        </div>
      </Section>
      {state === "cleared" ? (
        <PayoutForm beneficiary={beneficiary} />
      ) : (
        <Notice tone="warn">{words.onlyCleared}</Notice>
      )}
    </>
  );
}
